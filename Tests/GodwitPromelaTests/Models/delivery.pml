/*
 * From the journal of the device to the servers: numbers, ranges, acknowledgements.
 *
 * The journal numbers records, and has a cursor for each endpoint: the last acknowledged number of the journal, and the number of that
 * record for the endpoint, which counts only the records that the endpoint gets. The variables without `disk` are the state that the
 * program sees; those with `disk` are the state after a power cut, which is a state of the program at some time since the last flush. Each
 * endpoint has one request in flight at a time; the network loses, delays and repeats requests, so that requests of earlier attempts also
 * arrive.
 *
 * `-DTRACE` restricts the model to traces of the code, from the file `trace.h`; `-DMUTANT=n` plants a fault (see the list below).
 */

#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef ENDPOINTS
#define ENDPOINTS 1
#endif
/* Records of a batch, and requests of an endpoint in the network at a time. */
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
/* The numbers of faults: power cuts, ends of the program, faults of the network and the servers, removals by age. */
#ifndef CUTS
#define CUTS 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifndef REMOVALS
#define REMOVALS 0
#endif
/* Whether some records are withheld from the first endpoint. */
#ifndef WITHHOLDING
#define WITHHOLDING 0
#endif

/* Planted faults. Each of them must be found. */
#define NO_FLUSH_BEFORE_SENDING 1      /* a batch is sent before its records are flushed */
#define NO_FLUSH_AFTER_REOPENING 2     /* records that were appended before the program ended count as flushed */
#define ANSWER_BEFORE_COMMIT 3
#define CURSOR_BEFORE_ANSWER 4
#define REMOVAL_BY_FIRST_ENDPOINT 5    /* records are removed when one endpoint has acknowledged them */
#define REPEATED_RECORD_STORED 6       /* the server stores a repeated record again */
#define RANGE_OF_UNSENT 7              /* the range extends to the last record of the journal */
#define NUMBER_NOT_RESTORED 8          /* the endpoint's number is not stored in the transaction of the cursor */
#define LAST_NUMBER_NOT_STORED 9       /* an empty journal starts with number 1 again */
#define ANSWER_OF_EARLIER_REQUEST 10   /* a response to an earlier request acknowledges the request in flight */
#define REMOVAL_NOT_COUNTED 11         /* removed records get no numbers of the endpoint */
#define CURSOR_OF_ALL 12               /* a response acknowledges all records, not only those of the batch */
#ifndef MUTANT
#define MUTANT 0
#endif

#define bitOf(i) (1 << (i))
#define has(mask, i) (((mask) >> (i)) & 1)
/* Numbers 1 to i. */
#define through(i) ((1 << ((i) + 1)) - 2)

typedef Request {
  bit isUsed;
  bit isAwaited;                /* whether the device waits for the response */
  byte first;                   /* the number of the first record */
  byte count;
  byte end;                     /* the end of the range */
  byte record[LIMIT]
};

typedef Endpoint {
  /* the device */
  byte cursor; byte number;     /* now */
  byte diskCursor; byte diskNumber;
  bit isWaiting; bit isAnswered;
  byte sentCursor; byte sentNumber;
  int given;                    /* records that were removed by age before this endpoint received them */
  /* the network */
  Request request[REQUESTS];
  /* the server: `serving` is 1 + the request that is being stored */
  byte serving; bit isCommitted;
  byte recordOf[RECORDS + 1];   /* by number */
  int stored;                   /* records */
  byte rows;                    /* stored records, counted */
  int covered;                  /* numbers in received ranges */
};

Endpoint p[ENDPOINTS];

byte made;                      /* the number of records; the identity of a record, which differs from its number in the journal */
byte recordAt[RECORDS + 1];     /* by number in the journal */
int withheld;                   /* records that the first endpoint does not get */
byte last, diskLast;            /* the last number */
byte removed, diskRemoved;      /* the last number that is removed from the journal */
bit isPending;                  /* whether the program has unflushed records */
byte cuts, kills, faults, removals;

#ifdef TRACE
/* A trace is a list of events of seven numbers: its kind and what was observed. */
c_decl {
\#include "trace.h"
};
c_code {
  static int furthest[TRACES];
  static void report(void) {
    int i;
    for (i = 0; i < TRACES; i++) printf("trace %d: %d of %d\n", i, furthest[i], starts[i + 1] - starts[i]);
  }
};
int which, position;
int event, t1, t2, t3, t4, t5, t6;
inline load() {
  c_code {
    const int *next = events[starts[now.which] + now.position];
    now.event = next[0]; now.t1 = next[1]; now.t2 = next[2]; now.t3 = next[3]; now.t4 = next[4]; now.t5 = next[5]; now.t6 = next[6];
    if (now.position > furthest[now.which]) furthest[now.which] = now.position;
  }
}
#define observed(kind, a, b, c, d, e) (event == kind && t1 == (a) && t2 == (b) && t3 == (c) && t4 == (d) && t5 == (e))
#define begins(kind, a) (event == kind && t1 == (a))
#define follows(kind) (event == kind)
#define isLast(f) (t6 == (f))
#define happened position++; load()
#define within(count, limit) true
#define spend(count) skip
#else
#define observed(kind, a, b, c, d, e) true
#define begins(kind, a) true
#define follows(kind) true
#define isLast(f) true
#define happened skip
#define within(count, limit) (count < limit)
#define spend(count) count++
#endif
#define APPENDED 1
#define SENT 2
#define STORED 3
#define ACKNOWLEDGED 4
#define REMOVED 5
#define KILLED 6
#define CUT 7
#define FLUSHED 8
#define UNANSWERED 9
#define END 11

/* Auxiliary variables. The hidden ones are used only inside a `d_step`. */
byte count, end;
int batch;
hidden byte i, j, r, slowest, number, new;

#define lacks(e, record) (e == 0 && has(withheld, record))

inline flush() {
  diskLast = last; diskRemoved = removed;
  for (j : 0 .. ENDPOINTS - 1) { p[j].diskCursor = p[j].cursor; p[j].diskNumber = p[j].number }
  isPending = 0
}

/* Removes the records that every endpoint has acknowledged. */
inline removeDelivered() {
  slowest = p[0].cursor;
  for (j : 0 .. ENDPOINTS - 1) {
    if
#if MUTANT == REMOVAL_BY_FIRST_ENDPOINT
    :: p[j].cursor > slowest -> slowest = p[j].cursor
#else
    :: p[j].cursor < slowest -> slowest = p[j].cursor
#endif
    :: else
    fi
  }
  if
  :: slowest > removed -> removed = slowest
  :: else
  fi
}

inline abandon(e) {
  p[e].isWaiting = 0; p[e].isAnswered = 0; p[e].sentCursor = 0; p[e].sentNumber = 0;
  for (i : 0 .. REQUESTS - 1) { p[e].request[i].isAwaited = 0 }
}

/* Each record up to a cursor is on the server, or was removed by age and counted, or is withheld from this endpoint. */
inline checkCursor(e) {
  for (i : 1 .. p[e].cursor) {
    r = recordAt[i];
    assert(has(p[e].stored, r) || has(p[e].given, r) || lacks(e, r))
  }
}

/* Appends a record, which is flushed immediately or later. */
inline append(isWithheld, isFlushed) {
  atomic {
    made < RECORDS && observed(APPENDED, last + 1, isWithheld, isFlushed, 0, 0) ->
    d_step {
      made++; last++; recordAt[last] = made; isPending = 1;
      if
      :: isWithheld -> withheld = withheld | bitOf(made)
      :: else
      fi;
      if
      :: isFlushed -> flush()
      :: else
      fi
    }
    happened
  }
}

/* The operating system writes to the disk without a flush. */
inline writeBack() {
  d_step { within(cuts, CUTS) && (diskLast != last || diskRemoved != removed || p[0].diskCursor != p[0].cursor ||
    p[ENDPOINTS - 1].diskCursor != p[ENDPOINTS - 1].cursor) -> new = isPending; flush(); isPending = new }
}

#ifdef TRACE
inline sync() {
  atomic { event == FLUSHED -> d_step { flush() } happened }
}
#endif

/* Sends the next batch: the numbers of its records follow the last number of the endpoint. */
inline send(e, slot, limit) {
  atomic {
    !p[e].isWaiting && !p[e].request[slot].isUsed && (slot == 0 || p[e].request[0].isUsed) && p[e].cursor < last && begins(SENT, e) ->
    d_step {
#if MUTANT != NO_FLUSH_BEFORE_SENDING
      if
      :: isPending -> flush()
      :: else
      fi;
#endif
      count = 0; batch = 0; end = (p[e].cursor > removed -> p[e].cursor : removed); j = 0;
      do
      :: end < last && j < limit ->
        end++; j++;
        if
        :: lacks(e, recordAt[end])
        :: else -> p[e].request[slot].record[count] = recordAt[end]; count++; batch = batch | bitOf(recordAt[end])
        fi
      :: else -> break
      od
    }
    /* A batch without a record is skipped, not sent. */
    if
    :: count > 0 && observed(SENT, e, p[e].number + 1, count, batch, p[e].number + count) ->
      d_step {
        p[e].request[slot].isUsed = 1; p[e].request[slot].isAwaited = 1;
        p[e].request[slot].first = p[e].number + 1; p[e].request[slot].count = count;
#if MUTANT == RANGE_OF_UNSENT
        p[e].request[slot].end = p[e].number + last - p[e].cursor;
#else
        p[e].request[slot].end = p[e].number + count;
#endif
        p[e].isWaiting = 1; p[e].sentCursor = end; p[e].sentNumber = p[e].number + count;
#if MUTANT == CURSOR_BEFORE_ANSWER
        p[e].cursor = end; p[e].number = p[e].number + count; removeDelivered(); checkCursor(e);
#endif
        count = 0; end = 0; batch = 0
      }
      happened
    :: count == 0 -> d_step { p[e].cursor = end; removeDelivered(); checkCursor(e); end = 0 }
    fi
  }
}

/* The server begins to store a request. */
inline receive(e, slot) {
  atomic { p[e].serving == 0 && p[e].request[slot].isUsed && begins(STORED, e) -> p[e].serving = slot + 1; p[e].isCommitted = 0 }
}

/* One transaction: the records, once each, and the range. */
#define at request[p[e].serving - 1]
inline commit(e) {
  atomic {
    p[e].serving > 0 && !p[e].isCommitted && begins(STORED, e) ->
    d_step {
      new = 0; i = 0;
      do
      :: i < p[e].at.count ->
        r = p[e].at.record[i]; number = p[e].at.first + i;
        /* Two records do not have the same number, and a record does not have two numbers. */
        assert(p[e].recordOf[number] == 0 || p[e].recordOf[number] == r);
        for (j : 1 .. RECORDS) { assert(j == number || p[e].recordOf[j] != r) }
        if
        :: !has(p[e].stored, r) ->
          /* In order: no record with a higher number is stored. A record that was removed by age may arrive late. */
          for (j : number + 1 .. RECORDS) { assert(p[e].recordOf[j] == 0 || has(p[e].given, r)) }
          p[e].recordOf[number] = r; p[e].stored = p[e].stored | bitOf(r); p[e].rows++; new++
#if MUTANT == REPEATED_RECORD_STORED
        :: else -> p[e].rows++
#else
        :: else
#endif
        fi;
        i++
      :: else -> break
      od;
      /* Each record is stored once. */
      j = 0;
      for (i : 1 .. RECORDS) { j = j + has(p[e].stored, i) }
      assert(j == p[e].rows);
      p[e].covered = p[e].covered | (through(p[e].at.end) & ~through(p[e].at.first - 1));
      /* Each number in a received range belongs to a stored record. */
      for (i : 1 .. RECORDS) { assert(!has(p[e].covered, i) || p[e].recordOf[i] != 0) }
      p[e].isCommitted = 1
    }
    observed(STORED, e, p[e].at.first, p[e].at.count, new, p[e].covered) && isLast(p[e].stored) -> happened
  }
}

inline freeRequest(e, slot) {
  p[e].request[slot].isUsed = 0; p[e].request[slot].isAwaited = 0; p[e].request[slot].first = 0; p[e].request[slot].count = 0;
  p[e].request[slot].end = 0;
  for (i : 0 .. LIMIT - 1) { p[e].request[slot].record[i] = 0 }
}

/* The response, which reaches the device if it still waits. */
inline answer(e) {
  d_step {
#if MUTANT == ANSWER_BEFORE_COMMIT
    p[e].serving > 0 ->
#else
    p[e].serving > 0 && p[e].isCommitted ->
#endif
    if
    :: p[e].at.isAwaited -> p[e].isAnswered = 1
#if MUTANT == ANSWER_OF_EARLIER_REQUEST
    :: !p[e].at.isAwaited && p[e].isWaiting -> p[e].isAnswered = 1
#endif
    :: else
    fi;
#if MUTANT == ANSWER_BEFORE_COMMIT
    if
    :: p[e].isCommitted -> freeRequest(e, p[e].serving - 1); p[e].serving = 0; p[e].isCommitted = 0
    :: else -> p[e].at.isAwaited = 0
    fi
#else
    freeRequest(e, p[e].serving - 1); p[e].serving = 0; p[e].isCommitted = 0
#endif
  }
}

/* The journal moves the cursor and removes the records that every endpoint has, in one transaction that is not flushed. */
inline acknowledge(e) {
  atomic {
    p[e].isAnswered && begins(ACKNOWLEDGED, e) ->
    d_step {
      /* If the same records were removed by age, the cursor has already passed them. */
#if MUTANT == CURSOR_OF_ALL
      p[e].cursor = last;
#else
      if
      :: p[e].sentCursor > p[e].cursor -> p[e].cursor = p[e].sentCursor
      :: else
      fi;
#endif
      if
      :: p[e].sentNumber > p[e].number -> p[e].number = p[e].sentNumber
      :: else
      fi;
      abandon(e); removeDelivered(); checkCursor(e)
    }
    observed(ACKNOWLEDGED, e, p[e].cursor, p[e].number, 0, 0) -> happened
  }
}

/* Removes records that have waited too long for an endpoint: they get numbers, which the next range does not cover. */
inline remove(e, amount) {
  atomic {
    within(removals, REMOVALS) && amount > 0 && p[e].cursor + amount <= last && begins(REMOVED, e) ->
    d_step {
      number = p[e].cursor + amount;
      for (i : p[e].cursor + 1 .. number) { p[e].given = p[e].given | bitOf(recordAt[i]) }
#if MUTANT != REMOVAL_NOT_COUNTED
      p[e].number = p[e].number + amount;
#endif
      p[e].cursor = number; removeDelivered(); flush(); spend(removals)
    }
    observed(REMOVED, e, p[e].cursor, p[e].number, 0, 0) -> happened
  }
}

/* The program ends and starts again: its writes are in the file, and the log is flushed when it is read again. */
inline kill() {
  atomic {
    within(kills, KILLS) && follows(KILLED) ->
    d_step {
      for (j : 0 .. ENDPOINTS - 1) { abandon(j) }
#if MUTANT == NO_FLUSH_AFTER_REOPENING
      isPending = 0;
#else
      flush();
#endif
#if MUTANT == LAST_NUMBER_NOT_STORED
      last = (removed == last -> 0 : last); diskLast = last;
#endif
      spend(kills)
    }
    observed(KILLED, last, p[0].cursor, p[ENDPOINTS - 1].cursor, p[0].number, p[ENDPOINTS - 1].number) -> happened
  }
}

/* The power fails: the journal has the state of the disk. */
inline cut() {
  atomic {
    within(cuts, CUTS) && follows(CUT) ->
    d_step {
      for (j : 0 .. ENDPOINTS - 1) {
        abandon(j);
        p[j].cursor = p[j].diskCursor;
#if MUTANT != NUMBER_NOT_RESTORED
        p[j].number = p[j].diskNumber
#endif
      }
      for (i : diskLast + 1 .. last) { recordAt[i] = 0 }
      last = diskLast; removed = diskRemoved; isPending = 0; spend(cuts)
    }
    observed(CUT, last, p[0].cursor, p[ENDPOINTS - 1].cursor, p[0].number, p[ENDPOINTS - 1].number) -> happened
  }
}

/* Faults of the network and of the server. In a trace a request is lost when the next one needs its slot, and the end of a server is the
 * loss of a response for which the device no longer waits. A request that is not lost may arrive after the device has stopped waiting. */
inline lose(e, slot) {
  d_step { within(faults, FAULTS) && p[e].request[slot].isUsed && p[e].serving != slot + 1 && begins(SENT, e) -> freeRequest(e, slot); spend(faults) }
}
inline repeat(e, slot, other) {
  d_step {
    within(faults, FAULTS) && p[e].request[slot].isUsed && !p[e].request[other].isUsed && p[e].serving == 0 && begins(STORED, e) ->
    p[e].request[other].isUsed = 1; p[e].request[other].isAwaited = 0; p[e].request[other].first = p[e].request[slot].first;
    p[e].request[other].count = p[e].request[slot].count; p[e].request[other].end = p[e].request[slot].end;
    for (i : 0 .. LIMIT - 1) { p[e].request[other].record[i] = p[e].request[slot].record[i] }
    spend(faults)
  }
}
/* The server ends at any time: committed data remains. */
inline crash(e) {
  d_step {
    within(faults, FAULTS) && p[e].serving > 0 ->
    freeRequest(e, p[e].serving - 1); p[e].serving = 0; p[e].isCommitted = 0; spend(faults)
  }
}
/* Whether a response can still arrive. */
#if REQUESTS == 1
#define isAwaited(e) (p[e].request[0].isAwaited || p[e].isAnswered)
#else
#define isAwaited(e) (p[e].request[0].isAwaited || p[e].request[1].isAwaited || p[e].isAnswered)
#endif
/* The device stops waiting for a request, because the request was lost, or too early. */
inline stopWaiting(e) {
  atomic {
    p[e].isWaiting && (!isAwaited(e) || within(faults, FAULTS)) && begins(UNANSWERED, e) ->
    d_step {
      if
      :: isAwaited(e) -> spend(faults)
      :: else
      fi;
      abandon(e)
    }
    happened
  }
}

#define isDelivered(e) (p[e].cursor == last && !p[e].isWaiting && !p[e].request[0].isUsed && !p[e].request[REQUESTS - 1].isUsed && p[e].serving == 0)
#define everything (made == RECORDS && isDelivered(0) && isDelivered(ENDPOINTS - 1))

/* At the end each server has the records of the journal, and the gaps in its ranges are the records that were removed by age. */
inline checkEnd() {
  d_step {
    for (j : 0 .. ENDPOINTS - 1) {
      for (i : 1 .. last) {
        r = recordAt[i];
        assert(has(p[j].stored, r) || has(p[j].given, r) || lacks(j, r))
      }
      count = 0;
      for (i : 1 .. RECORDS) {
        r = i;
        if
        :: has(p[j].given, r) && !has(p[j].stored, r) -> count++
        :: else
        fi
      }
      number = 0;
      for (i : 1 .. p[j].number) {
        if
        :: !has(p[j].covered, i) -> number++
        :: else
        fi
      }
      assert(number == count); number = 0
    }
    count = 0
  }
}

/* Records that an endpoint does not get are skipped without a request. */
#ifdef TRACE
inline omit(e) {
  d_step {
    !p[e].isWaiting && p[e].cursor < last && lacks(e, recordAt[p[e].cursor + 1]) ->
    if
    :: isPending -> flush()
    :: else
    fi;
    p[e].cursor++; removeDelivered()
  }
}
#define limitOfBatch t6
#define removedNumbers(e) (t2 - p[e].cursor)
#else
#define limitOfBatch LIMIT
#define removedNumbers(e) (last - p[e].cursor)
#endif
inline actionsOf(e) {
  if
  :: send(e, 0, limitOfBatch)
#if !defined(TRACE) && LIMIT > 1
  :: send(e, 0, 1)
#endif
#if REQUESTS > 1
  :: send(e, 1, limitOfBatch)
  :: receive(e, 1)
  :: lose(e, 1)
  :: repeat(e, 0, 1)
  :: repeat(e, 1, 0)
#endif
  :: receive(e, 0)
  :: lose(e, 0)
#ifdef TRACE
  :: omit(e)
#endif
  :: commit(e)
  :: answer(e)
  :: acknowledge(e)
  :: stopWaiting(e)
#ifndef TRACE
  :: crash(e)
#endif
  :: remove(e, removedNumbers(e))
#ifndef TRACE
  :: remove(e, 1)
#endif
  fi
}

active proctype world() {
#ifdef TRACE
  c_code { atexit(report); };
  do
  :: c_expr { now.which < TRACES - 1 } -> which++
  :: break
  od;
  load();
#endif
  do
  :: append(0, 0)
  :: append(0, 1)
#if WITHHOLDING
  :: append(1, 0)
  :: append(1, 1)
#endif
  :: writeBack()
  :: actionsOf(0)
#if ENDPOINTS > 1
  :: actionsOf(1)
#endif
  :: kill()
  :: cut()
#ifdef TRACE
  :: sync()
  :: event == END -> break
#else
  :: everything -> checkEnd(); break
#endif
  od
}

#ifdef LIVENESS
/* The number of faults is limited. After the last one everything is delivered. */
ltl delivered { <> [] everything }
#endif
