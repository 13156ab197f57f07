import { useSyncExternalStore } from 'react';
import { localTime, relativeTime, utcTime } from '../format.ts';
import styles from './values.module.css';

interface TimeProps {
  readonly at: string;
  /** Always as a time, for sentences: "until 3 minutes ago" is none. */
  readonly exact?: boolean;
}

/** A moment: how long ago if it is near, otherwise the reader's local time. The title has UTC with seconds, too. */
export function Time({ at, exact = false }: TimeProps) {
  const now = useNow();
  const local = localTime(at);
  return (
    <time className={styles.time} dateTime={at} title={`${local} (${utcTime(at)})`}>
      {(exact ? undefined : relativeTime(at, now)) ?? local}
    </time>
  );
}

/** Milliseconds between two readings of the clock. */
const TICK_MS = 10_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Reads the clock now, which may have run on without a listener, and from then on at each tick. */
function startClock() {
  const tick = () => {
    now = Date.now();
    for (const one of listeners) one();
  };
  // A listener must not be called while it subscribes.
  queueMicrotask(tick);
  return setInterval(tick, TICK_MS);
}

/** The reader's clock, milliseconds since 1970; one timer for all times of a page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= startClock();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
