/** Asks one server for a list of paths, over and over: a process of its own, started by a bench. */
import autocannon from 'autocannon';
import { z } from 'zod';

const Load = z.object({
  url: z.string(),
  paths: z.array(z.string()).min(1),
  headers: z.record(z.string(), z.string()),
  connections: z.number(),
  seconds: z.number(),
});

const { url, paths, headers, connections, seconds } = Load.parse(JSON.parse(process.argv[2] ?? ''));
// Each connection begins elsewhere in the list, so that they do not ask in step.
let connection = 0;
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  timeout: 30,
  setupClient: (client) => {
    const from = Math.floor((connection * paths.length) / connections);
    connection += 1;
    const turned = [...paths.slice(from), ...paths.slice(0, from)];
    client.setRequests(turned.map((path) => ({ method: 'GET', path, headers })));
  },
});
console.log(
  JSON.stringify({
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered: result['2xx'],
    refused: result.statusCodeStats?.['503']?.count ?? 0,
    failed: result.non2xx + result.errors + result.timeouts,
  }),
);
