/*
 * Deliveries of the events of one device to one webhook: several servers send them, each only while it holds a lease.
 *
 * The database has the deliveries in the order of their events. A server claims the first one: a lease of LEASE ticks by the clock of the
 * database, from the transaction on. It sends the request, waits at most TIMEOUT ticks for the response, and records the result. The
 * clocks of the servers are not part of the model: the servers in the traces of the code have random clocks. A server may be paused at any
 * of these steps for any time, or end. A single server (SERVERS == 1) ends all leases when it starts.
 *
 * `-DTRACE` restricts the model to traces of the code, from the file `trace.h`; `-DMUTANT=n` plants a fault.
 */

#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef DELIVERIES
#define DELIVERIES 2
#endif
#define LEASE 4
#define TIMEOUT 1
/* The last tick; the time advances further only if nothing else is possible until a lease ends. */
#ifndef TIME
#define TIME 7
#endif
/* The numbers of ends of servers, of failed or missing responses, and of permanent failures. */
#ifndef KILLS
#define KILLS 1
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef REJECTIONS
#define REJECTIONS 0
#endif

/* Planted faults. Each of them must be found. */
#define LEASE_NOT_READ 1               /* a claim does not check for a lease */
#define OWN_CLOCKS 2                   /* leases use the clocks of the servers, which differ by a lease */
#define RETRY_WITHOUT_LEASE 3          /* a server without the lease records a failed attempt, and frees the lease of another */
#define FAILURE_WITHOUT_LEASE 4        /* a server without the lease records a permanent failure */
#define REMOVED_BEFORE_ANSWER 5        /* the delivery is removed when it is sent */
#define NEXT_BEFORE_RESULT 6           /* a server claims the next delivery while the first one has a lease */
#define LEASE_WITHOUT_END 7            /* the lease of a server that ended does not end */
#ifndef MUTANT
#define MUTANT 0
#endif

#if MUTANT == OWN_CLOCKS
#define clock(s) (time + (s) * LEASE)
#else
#define clock(s) time
#endif

#define PENDING 0
#define DELIVERED 1
#define FAILED 2

#define IDLE 0
#define CLAIMED 1
#define SENDING 2
#define ANSWERED 3
#define UNANSWERED 4
#define REJECTED 5

typedef Server {
  byte phase;
  byte delivery;
  byte lease;                   /* its end */
  byte since                    /* the time of the claim */
};
typedef Delivery {
  byte state;
  byte lease;                   /* its end; 0: none */
  byte arrivals;
  byte repetitions              /* the number of reasons for another arrival */
};
Server server[SERVERS];
Delivery delivery[DELIVERIES];
/* Requests in the network, including those whose server no longer waits: a mask by server and delivery. */
int network;
byte queued;                    /* the number of written deliveries */
byte time;
byte kills, failures, rejections;

#ifdef TRACE
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
#define observed(kind, a, b, c) (event == kind && t1 == (a) && t2 == (b) && t3 == (c))
#define begins(kind, a) (event == kind && t1 == (a))
#define happened position++; load()
#define within(count, limit) true
#define spend(count) skip
#else
#define observed(kind, a, b, c) true
#define begins(kind, a) true
#define happened skip
#define within(count, limit) (count < limit)
#define spend(count) count++
#endif
#define TICK 1
#define QUEUE 2
#define CLAIM 3
#define SEND 4
#define ARRIVE 5
#define RESULT 6
#define RECORD 7
#define KILL 8
#define END 9

byte first;                     /* the first delivery that is pending; `queued`: none */
hidden byte i, j;

/* Sets the first delivery that is pending. */
inline findFirst() {
  first = 0;
  do
  :: first < queued && delivery[first].state != PENDING -> first++
  :: else -> break
  od
}
#if MUTANT == NEXT_BEFORE_RESULT
#define next(s) (first < queued && delivery[first].lease > clock(s) -> first + 1 : first)
#else
#define next(s) first
#endif

/* Whether a server works on a delivery, and the timeout of its request has not passed. */
#define isInTime(s) (server[s].phase >= CLAIMED && time <= server[s].since + TIMEOUT)

inline queue() {
  atomic { queued < DELIVERIES && observed(QUEUE, queued, 0, 0) -> queued++; happened }
}

inline tick() {
  atomic { (within(time, TIME) || (timeout && time < 100)) && observed(TICK, time + 1, 0, 0) -> time++; happened }
}

/* A transaction claims the first delivery. The result is reported to the server later. */
#define mine delivery[server[s].delivery]
#if MUTANT == LEASE_NOT_READ
#define isFree(s) true
#elif MUTANT == LEASE_WITHOUT_END
#define isFree(s) (delivery[next(s)].lease == 0)
#else
#define isFree(s) (delivery[next(s)].lease <= clock(s))
#endif

/* One transaction. Transactions of several servers are serialized. */
inline claim(s) {
  atomic {
    server[s].phase == IDLE && next(s) < queued && isFree(s) && observed(CLAIM, s, next(s), clock(s) + LEASE) ->
    d_step {
      server[s].delivery = next(s);
      /* An earlier lease has ended: its server may have sent the delivery. */
      if
      :: mine.lease != 0 -> mine.repetitions++
      :: else
      fi;
      server[s].since = time; server[s].lease = clock(s) + LEASE; mine.lease = server[s].lease; server[s].phase = CLAIMED;
      /* Two servers do not work on a delivery at the same time, unless one was paused beyond the timeout of its request. */
      for (j : 0 .. SERVERS - 1) {
        assert(j == s || server[j].delivery != server[s].delivery || !isInTime(j))
      }
    }
    happened
  }
}

inline send(s) {
  atomic {
    server[s].phase == CLAIMED && observed(SEND, s, server[s].delivery, 0) ->
    d_step {
      server[s].phase = SENDING; network = network | (1 << (s * DELIVERIES + server[s].delivery));
#if MUTANT == REMOVED_BEFORE_ANSWER
      mine.state = DELIVERED
#endif
    }
    happened
  }
}

/* A request arrives. Its server may no longer wait for the response. */
inline arrive(s, d) {
  atomic {
    (network >> (s * DELIVERIES + d)) & 1 && observed(ARRIVE, s, d, 0) ->
    d_step {
      network = network & ~(1 << (s * DELIVERIES + d));
      if
      :: delivery[d].arrivals == 0 ->
        /* In order: all earlier deliveries have arrived or failed permanently. */
        for (i : 0 .. DELIVERIES - 1) { assert(i >= d || delivery[i].arrivals > 0 || delivery[i].state == FAILED) }
      :: else
      fi;
      delivery[d].arrivals++;
      /* One arrival, and one more for each failure, end of a server or expired lease. */
      assert(delivery[d].arrivals <= 1 + delivery[d].repetitions);
      if
      :: server[s].phase == SENDING && server[s].delivery == d -> server[s].phase = ANSWERED
      :: else
      fi
    }
    happened
  }
}

/* The response is a failure or is missing: the request may have arrived, or arrives later. */
inline fail(s, kind) {
  atomic {
    within(failures, FAILURES) && (server[s].phase == ANSWERED || server[s].phase == SENDING) &&
    (kind == UNANSWERED || within(rejections, REJECTIONS)) && observed(RESULT, s, server[s].delivery, kind) ->
    d_step { server[s].phase = kind; mine.repetitions++; spend(failures);
      if
      :: kind == REJECTED -> spend(rejections)
      :: else
      fi
    }
    happened
  }
}

/* One transaction with the result of the attempt. Without the lease only a success is recorded. */
inline record(s) {
  atomic {
    server[s].phase >= ANSWERED ->
    d_step {
      if
      :: server[s].phase == ANSWERED ->
        /* A delivery is removed only after it has arrived. */
        assert(mine.arrivals > 0);
        mine.state = DELIVERED; mine.lease = 0
#if MUTANT == RETRY_WITHOUT_LEASE
      :: server[s].phase == UNANSWERED -> mine.lease = 0
#else
      :: server[s].phase == UNANSWERED && mine.lease == server[s].lease -> mine.lease = 0
#endif
#if MUTANT == FAILURE_WITHOUT_LEASE
      :: server[s].phase == REJECTED -> mine.state = FAILED; mine.lease = 0
#else
      :: server[s].phase == REJECTED && mine.lease == server[s].lease -> mine.state = FAILED; mine.lease = 0
#endif
      :: else
      fi;
      /* A failure does not end a delivery on which another server works. */
      for (j : 0 .. SERVERS - 1) {
        assert(j == s || mine.state != FAILED || server[j].delivery != server[s].delivery || !isInTime(j))
      }
      i = server[s].delivery;
      server[s].phase = IDLE; server[s].lease = 0; server[s].delivery = 0; server[s].since = 0;
      findFirst()
    }
    observed(RECORD, s, delivery[i].state, delivery[i].lease) -> happened
  }
}

/* A server ends and starts again. */
inline kill(s) {
  atomic {
    within(kills, KILLS) && server[s].phase != IDLE && observed(KILL, s, 0, 0) ->
    d_step {
#if SERVERS == 1
      mine.repetitions++;
#endif
      server[s].phase = IDLE; server[s].lease = 0; server[s].delivery = 0; server[s].since = 0;
#if SERVERS == 1
      for (i : 0 .. DELIVERIES - 1) { delivery[i].lease = 0 }
#endif
      spend(kills)
    }
    happened
  }
}

#define isDone(s) (server[s].phase == IDLE)
#define everything (queued == DELIVERIES && first == DELIVERIES && isDone(0) && isDone(SERVERS - 1) && network == 0)

inline actionsOf(s) {
  if
  :: claim(s)
  :: send(s)
  :: arrive(s, 0)
  :: arrive(s, 1)
#if DELIVERIES > 2
  :: arrive(s, 2)
#endif
#if DELIVERIES > 3
  :: arrive(s, 3)
#endif
  :: fail(s, UNANSWERED)
  :: fail(s, REJECTED)
  :: record(s)
  :: kill(s)
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
  :: queue()
  :: tick()
  :: actionsOf(0)
#if SERVERS > 1
  :: actionsOf(1)
#endif
#ifdef TRACE
  :: event == END -> break
#else
  :: everything -> break
#endif
  od
}

#ifdef LIVENESS
/* The number of faults is limited. After the last one everything is delivered or fails permanently. */
ltl delivered { <> [] everything }
#endif
