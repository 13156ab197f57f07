import { type HttpAnswer, rangeOf, TOO_LATE, type Trait } from './trait.ts';

const family = 'transport';

/** Logs above which an answer takes too long. */
const SLOW_LOGS = 12;

/** The header for the credentials of a URL in tests. */
export const CREDENTIALS = { username: 'user', password: 'p%40ss' } as const;
const AUTHORIZATION = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;

const page = (status: number, body: string): HttpAnswer => ({
  ...{ status, body, headers: { 'content-type': 'text/html' } },
});

export const transport = {
  slowPerLog: {
    family,
    does: 'takes a time for each log',
    seen: ['evmos/ethermint#858'],
    settles: true,
    rule: 'A range that was too slow is halved in the next tick, and that size is remembered. A single block may take longer.',
    forms: {
      'too late above 12 logs': () => ({
        answer: async (request, ask) => {
          const answer = await ask(request);
          const { result } = answer;
          const isMany = Array.isArray(result) && result.length > SLOW_LOGS;
          const isSlow = isMany && (rangeOf(request)?.blocks ?? 0) > 1;
          return isSlow ? { ...answer, result: TOO_LATE } : answer;
        },
      }),
    },
  },
  frozen: {
    family,
    does: 'accepts connections and does not answer',
    seen: ['MetaMask/web3-provider-engine#265', 'paradigmxyz/reth#3567'],
    settles: false,
    says: /^The blockchain node does not respond/,
    rule: 'Half an answer and a page are none. A request ends after 5 s of silence.',
    forms: {
      silence: () => ({ answer: async ({ id }) => ({ id, result: TOO_LATE }) }),
    },
    simulated: [5],
  },
  cutBody: {
    family,
    does: 'breaks off in the middle of an answer',
    seen: ['ChainSafe/lodestar#1599', 'erigontech/erigon#18074'],
    settles: false,
    says: /^The blockchain node (gave no answer that can be read|does not respond)/,
    rule: 'Half an answer and a page are none. A request ends after 5 s of silence.',
    forms: { 'in the middle': () => ({ body: 'cut' }) },
    simulated: [10, 30],
  },
  gzip: {
    family,
    does: 'compresses answers',
    seen: ['ethereum/go-ethereum#26337'],
    settles: true,
    rule: 'Answers are read, and credentials are sent as a header, and appear in no log.',
    forms: { gzip: () => ({ body: 'gzip' }) },
    simulated: [],
  },
  credentials: {
    family,
    does: 'wants the credentials that its URL has',
    seen: ['MetaMask/core#6113', 'wevm/viem#4234'],
    settles: true,
    rule: 'Answers are read, and credentials are sent as a header, and appear in no log.',
    forms: {
      'Basic authorization': () => ({
        http: (_, authorization) =>
          authorization === AUTHORIZATION ? undefined : page(401, 'Unauthorized'),
      }),
    },
    simulated: [],
  },
  errorPages: {
    family,
    does: 'is behind a proxy that answers with pages',
    seen: ['INFURA/infura#12', 'ChainSafe/forest#7151'],
    settles: false,
    says: /^The blockchain node (answered HTTP 502|gave no answer that can be read)/,
    rule: 'Half an answer and a page are none. A request ends after 5 s of silence.',
    forms: {
      'HTTP 502': () => ({ http: () => page(502, '<html>502 Bad Gateway</html>') }),
      'HTTP 200': () => ({ http: () => page(200, '<html>Just a moment…</html>') }),
    },
    simulated: [10, 30],
  },
} as const satisfies Record<string, Trait>;
