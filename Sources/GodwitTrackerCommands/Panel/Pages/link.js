// The connection to the tracker: requests, commands and the event stream.

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.detail || `The tracker responded with ${status}.`);
    this.status = status;
    this.answer = answer;
  }
}

async function ask(method, path, body) {
  const options = { method, headers: { Accept: "application/json" }, cache: "no-store", signal: AbortSignal.timeout(10000) };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The tracker cannot be reached.");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);
export const put = (path, body) => ask("PUT", path, body);

// The tracker sends an event at least every four seconds. After three missing events the connection counts as lost.
const PATIENCE = 13000;

// Maintains the connection. `on` has status(status), settings() and state(name) with the names connecting, live, lost and locked.
export class Link {
  constructor(on) {
    this.on = on;
    // Milliseconds by which the tracker's clock is ahead of this device's.
    this.offset = 0;
    this.heard = null;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.heard && Date.now() - this.heard > PATIENCE) this.connect();
    });
  }

  now() {
    return Date.now() + this.offset;
  }

  take(status) {
    this.heard = Date.now();
    this.offset = Date.parse(status.now) - this.heard;
    this.on.status(status);
  }

  async connect() {
    this.close();
    const attempt = (this.attempt = {});
    try {
      const status = await get("/api/v1/status");
      if (attempt !== this.attempt) return;
      this.take(status);
    } catch (error) {
      if (attempt !== this.attempt) return;
      if (error.status === 401) this.on.state("locked");
      else this.lose();
      return;
    }
    const source = (this.source = new EventSource("/api/v1/events"));
    source.addEventListener("open", () => {
      this.on.state("live");
      this.watch();
      // Changes before the stream was open were not reported.
      this.on.settings();
    });
    source.addEventListener("status", (event) => {
      this.take(JSON.parse(event.data));
      this.watch();
    });
    source.addEventListener("settings", () => this.on.settings());
    source.addEventListener("error", () => this.lose());
  }

  watch() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lose(), PATIENCE);
  }

  lose() {
    this.close();
    this.on.state("lost");
    this.again = setTimeout(() => this.connect(), 2000);
  }

  close() {
    this.attempt = null;
    clearTimeout(this.watchdog);
    clearTimeout(this.again);
    this.source?.close();
    this.source = null;
  }
}
