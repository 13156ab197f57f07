// Ends the processes of a dead parent. The parent holds the other end of this process's stdin and
// writes a line for each change: `+ <pid> <signal> <grace in ms>` to watch, `- <pid>` to forget. When the
// parent is gone, stdin ends: every watched process gets its signal, and its group is killed if it is still
// there after its grace period.
// Plain JavaScript, because a TypeScript loader would make it slow to start.
import { createInterface } from 'node:readline';

const watched = new Map();

/** Sends a signal. Returns false if the process does not exist. */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [change, pid, signal, graceMs] = line.split(' ');
    if (change === '+') watched.set(Number(pid), { signal, graceMs: Number(graceMs) });
    else watched.delete(Number(pid));
  })
  .on('close', () => {
    const began = Date.now();
    for (const [pid, { signal }] of watched) send(pid, signal);
    const timer = setInterval(() => {
      for (const [pid, { graceMs }] of watched) {
        const isLate = Date.now() - began >= graceMs;
        if (send(pid, 0) && !isLate) continue;
        if (isLate) send(-pid, 'SIGKILL');
        watched.delete(pid);
      }
      if (watched.size === 0) clearInterval(timer);
    }, 100);
  });
