// Declarations of the browser that the type checker does not have, or that are too narrow: the kind of element of an id, a selector or an
// event is in the HTML of the page.

interface Document {
  getElementById(id: string): any;
}
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface EventTarget {
  value: any;
  checked: any;
  files: any;
  elements: any;
}
interface HTMLElement {
  addEventListener(type: string, listener: (event: any) => any, options?: boolean | AddEventListenerOptions): void;
}
interface Document {
  readonly activeElement: any;
}

// Newer than the type checker's library.
interface Array<T> {
  findLast(predicate: (value: T, index: number) => unknown): T | undefined;
}
interface MapConstructor {
  groupBy<Key, Value>(values: Iterable<Value>, key: (value: Value) => Key): Map<Key, Value[]>;
}
declare namespace Intl {
  function supportedValuesOf(key: string): string[];
}
