import { type Behaviour, error, type HttpAnswer, instead, isTag, type Trait } from './trait.ts';

const family = 'refusals';
const says = /^The blockchain node limits how much it is asked/;

const RATE_RULE =
  'The RPC is asked after the time that it says, up to five minutes. Otherwise each pause is twice as long, up to a minute. Ranges stay as they are: smaller ones would be more requests.';

const http = (answer: HttpAnswer) => (): Behaviour => ({ http: () => answer });
const page = '<html><body><h1>429 Too Many Requests</h1></body></html>';
const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ jsonrpc: '2.0', id: null, ...error(-32_005, 'request limit') });

/** Errors of a rate limit, as providers word them. */
export const RATE_ERRORS: readonly (readonly [code: number, message: string])[] = [
  [-32_005, 'exceeded project rate limit'],
  [-32_007, '50/second request limit reached - reduce calls per second'],
  [-32_011, 'rate limit exceeded'],
  [-32_016, 'over rate limit'],
  [-32_029, 'Too Many Requests'],
  [-32_090, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
  [-32_097, 'Too many requests'],
  [-32_000, '429 Too Many Requests: over rate limit'],
  [429, 'Your app has exceeded its compute units per second capacity'],
];

export const refusals = {
  rateWithTime: {
    family,
    does: 'answers HTTP 429 with `Retry-After`',
    seen: ['MetaMask/eth-json-rpc-infura#76', 'hyperledger-firefly/evmconnect#135'],
    settles: false,
    says,
    rule: RATE_RULE,
    forms: {
      seconds: http({ status: 429, body: '', headers: { 'retry-after': '120' } }),
      'a year': http({ status: 429, body: page, headers: { 'retry-after': '31536000' } }),
    },
    simulated: [20, 50],
  },
  rateByHttp: {
    family,
    does: 'answers HTTP 429',
    seen: ['circlefin/arc-node#207', 'fluencelabs/dev-rewards#20'],
    settles: false,
    says,
    rule: RATE_RULE,
    forms: {
      'a page': http({ status: 429, body: page, headers: { 'content-type': 'text/html' } }),
      'an error of JSON-RPC': http({ status: 429, body, headers: json }),
    },
    simulated: [20, 50],
  },
  rateByError: {
    family,
    does: 'answers HTTP 200 with an error about the rate, inside a batch, too',
    seen: ['wevm/viem#3680', 'base/node#368', 'reown-com/blockchain-api#1102'],
    settles: false,
    says,
    rule: RATE_RULE,
    forms: Object.fromEntries(
      RATE_ERRORS.map(([code, message]) => [String(code), instead(() => error(code, message))]),
    ),
    simulated: [10, 30],
  },
  dailyQuota: {
    family,
    does: 'refuses everything until the next day',
    seen: ['blockscout/blockscout#7339', 'gochain/web3#180'],
    settles: false,
    says,
    rule: RATE_RULE,
    forms: {
      '-32005': instead(() =>
        error(-32_005, 'daily request count exceeded, request rate limited', {
          rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 2.2 },
        }),
      ),
    },
    simulated: [10, 30],
  },
  tagsRefused: {
    family,
    does: 'refuses the tags `safe` and `finalized` alone',
    seen: ['wevm/viem#5084'],
    settles: true,
    rule: 'Sales are settled, and finality stays where it was.',
    forms: {
      '-32005': instead((one) => (isTag(one) ? error(-32_005, 'rate limit') : undefined)),
      '429': instead((one) => (isTag(one) ? error(429, 'Too Many Requests') : undefined)),
    },
    simulated: [40, 100],
  },
  internalErrors: {
    family,
    does: 'answers with an internal error',
    seen: ['matter-labs/zksync-os-server#496'],
    settles: false,
    says: /^The blockchain node refused \(code -32603\)/,
    rule: 'Nothing is concluded; smaller ranges are tried, one in a tick.',
    forms: { '-32603': instead(() => error(-32_603, 'Internal error')) },
    simulated: [10, 30],
  },
} as const satisfies Record<string, Trait>;
