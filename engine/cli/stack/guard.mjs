// Ends the processes of a dead parent. The parent holds the other end of this process's stdin and
// writes a line for each change: `+ <pid> <signal>` to watch, `- <pid>` to forget. When the parent
// is gone, stdin ends: every watched process gets its signal, and 10 s later its group is killed.
// Plain JavaScript, because a TypeScript loader would make it slow to start.
import { createInterface } from 'node:readline';

const GRACE_MS = 10_000;
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
    const [change, pid, signal] = line.split(' ');
    if (change === '+') watched.set(Number(pid), signal);
    else watched.delete(Number(pid));
  })
  .on('close', () => {
    const deadline = Date.now() + GRACE_MS;
    for (const [pid, signal] of watched) send(pid, signal);
    const timer = setInterval(() => {
      const left = [...watched.keys()].filter((pid) => send(pid, 0));
      if (left.length > 0 && Date.now() < deadline) return;
      for (const pid of left) send(-pid, 'SIGKILL');
      clearInterval(timer);
    }, 100);
  });
