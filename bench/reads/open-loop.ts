/**
 * Requests a list of paths at a fixed rate, whatever the server does: a process of its own, started by a
 * bench. The time of a request begins when it is due, so that a slow response also counts against the
 * requests that had to wait for it.
 */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';

const OpenLoop = z.object({
  url: z.string(),
  paths: z.array(z.string()).min(1),
  headers: z.record(z.string(), z.string()),
  perSecond: z.number().positive(),
  seconds: z.number().positive(),
});

const { url, paths, headers, perSecond, seconds } = OpenLoop.parse(
  JSON.parse(process.argv[2] ?? ''),
);
const agent = new Agent({ keepAlive: true });
const times: number[] = [];
const statuses = new Map<number | undefined, number>();

async function request(path: string, due: number): Promise<void> {
  const [response] = (await once(get(`${url}${path}`, { agent, headers }), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  await once(response, 'end');
  times.push(performance.now() - due);
  statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1);
}

const start = performance.now();
const sent: Promise<void>[] = [];
for (let i = 0; i < perSecond * seconds; i += 1) {
  const due = start + (i * 1_000) / perSecond;
  const early = due - performance.now();
  if (early > 0) await setTimeout(early);
  sent.push(request(paths[i % paths.length] ?? '', due));
}
await Promise.all(sent);
agent.destroy();
times.sort((a, b) => a - b);
const answered = statuses.get(200) ?? 0;
const refused = statuses.get(503) ?? 0;
console.log(
  JSON.stringify({
    perSecond: answered / ((performance.now() - start) / 1_000),
    p50: percentile(0.5),
    p99: percentile(0.99),
    answered,
    refused,
    failed: times.length - answered,
  }),
);

function percentile(part: number): number {
  return Math.round(times[Math.ceil(part * times.length) - 1] ?? 0);
}
