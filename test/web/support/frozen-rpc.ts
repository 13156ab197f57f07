import { readdir, readFile } from 'node:fs/promises';

/**
 * Freezes the process that serves an RPC on this machine: it accepts connections and does not answer.
 * @returns lets it run again.
 */
export async function freezeRpc(rpcUrl: string): Promise<() => void> {
  const pid = await pidOf(new URL(rpcUrl).port);
  process.kill(pid, 'SIGSTOP');
  return () => process.kill(pid, 'SIGCONT');
}

/** Process id of the anvil with that port. */
async function pidOf(port: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const words = command.split('\0');
    if (words[0]?.includes('anvil') && words.includes(port)) return Number(entry);
  }
  throw new Error(`no anvil has port ${port}`);
}
