import type { Dice, NonEmpty } from '../dice.ts';
import type { RpcAnswer, RpcRequest } from './rpc-lies.ts';

/** A habit of a provider, which withholds and does not lie. Each part is optional. */
interface Trait {
  /** Share of the requests that it hits; default: all. */
  readonly percent?: NonEmpty<number>;
  /** The HTTP response that takes the place of the RPC's. */
  readonly http?: () => { readonly status: number; readonly body: string };
  /** The answer that takes the place of the RPC's to one request; `undefined` if the RPC answers. */
  readonly refuses?: (request: RpcRequest) => object | undefined;
  /** Changes the RPC's answer to one request. */
  readonly changes?: (request: RpcRequest, result: unknown) => unknown;
  /** Changes the answers to a batch. */
  readonly batch?: (answers: readonly RpcAnswer[]) => unknown;
}

const isTag = ({ method, params: [tag] = [] }: RpcRequest) =>
  method === 'eth_getBlockByNumber' && (tag === 'safe' || tag === 'finalized');
const error = (code: number, message: string) => ({ error: { code, message } });
const LIMITED = error(-32_005, 'daily request count exceeded, request rate limited');

/** Requests for more logs than this take too long, where a provider is slow per log. */
const SLOW_LOGS = 40;
/** Blocks of one `eth_getLogs`, where a provider limits them. */
const LOG_BLOCKS = 20;

/** Habits of providers, by name. What is missing is added as a row. */
export const traits = {
  /** Tags alone are refused, each by an error of JSON-RPC. */
  refusedTags: { refuses: (one) => (isTag(one) ? LIMITED : undefined) },
  tags429: {
    percent: [40, 100],
    refuses: (one) => (isTag(one) ? error(429, 'Too Many Requests') : undefined),
  },
  /** Tags are gone for a moment, by one node of several. */
  nullTags: { percent: [30], refuses: (one) => (isTag(one) ? { result: null } : undefined) },
  internalErrors: {
    percent: [10, 30],
    refuses: () => error(-32_603, 'Internal error: rate limit'),
  },
  limited: { percent: [10, 30], refuses: () => LIMITED },
  /** A page of a proxy with status 429, and one with status 200. */
  html429: {
    percent: [20, 50],
    http: () => ({ status: 429, body: '<html><body><h1>429 Too Many Requests</h1></body></html>' }),
  },
  html200: {
    percent: [10],
    http: () => ({ status: 200, body: '<html><body>Just a moment…</body></html>' }),
  },
  /** One error for a whole batch. */
  batchRefused: { percent: [20, 60], batch: () => ({ jsonrpc: '2.0', id: null, ...LIMITED }) },
  /** A batch without its first answer, or with an error in its place that names no id. */
  batchShort: { percent: [20, 60], batch: (answers) => answers.slice(1) },
  batchWithoutId: {
    percent: [20, 60],
    batch: ([, ...rest]) => [...rest, { jsonrpc: '2.0', id: null, ...LIMITED }],
  },
  batchShuffled: { batch: (answers) => answers.toReversed() },
  /** Receipts that are not those of the transactions: one is missing, or one too many. */
  receiptMissing: {
    changes: ({ method }, result) =>
      method === 'eth_getBlockReceipts' && Array.isArray(result) ? result.slice(1) : result,
  },
  receiptExtra: {
    changes: ({ method }, result) =>
      method === 'eth_getBlockReceipts' && Array.isArray(result) && result.length > 0
        ? [...result, { ...result[0], transactionHash: `0x${'5e'.repeat(32)}`, logs: [] }]
        : result,
  },
  receiptsNull: { percent: [50], refuses: receiptsAre({ result: null }) },
  noBlockReceipts: { refuses: receiptsAre(error(-32_601, 'the method does not exist')) },
  zeroBloom: {
    changes: ({ method }, result) =>
      method.startsWith('eth_getBlockBy') && typeof result === 'object' && result !== null
        ? { ...result, logsBloom: `0x${'00'.repeat(256)}` }
        : result,
  },
  fullBloom: {
    changes: ({ method }, result) =>
      method.startsWith('eth_getBlockBy') && typeof result === 'object' && result !== null
        ? { ...result, logsBloom: `0x${'ff'.repeat(256)}` }
        : result,
  },
  /** Slow per log: a range with many is never answered in time. */
  slowPerLog: {
    changes: ({ method, params: [filter] = [] }, result) => {
      const { fromBlock, toBlock } = Object(filter);
      const isOne = fromBlock === toBlock;
      return method === 'eth_getLogs' &&
        Array.isArray(result) &&
        result.length > SLOW_LOGS &&
        !isOne
        ? TOO_LATE
        : result;
    },
  },
  logBlocks: {
    refuses: ({ method, params: [filter] = [] }) => {
      const { fromBlock, toBlock } = Object(filter);
      const blocks = Number(toBlock) - Number(fromBlock) + 1;
      return method === 'eth_getLogs' && blocks > LOG_BLOCKS
        ? error(-32_602, `eth_getLogs is limited to ${LOG_BLOCKS} blocks`)
        : undefined;
    },
  },
  /** The first block is pruned (EIP-4444). */
  prunedGenesis: {
    refuses: ({ method, params: [number] = [] }) =>
      method === 'eth_getBlockByNumber' && number === '0x0'
        ? error(4444, 'pruned history unavailable')
        : undefined,
  },
} as const satisfies Record<string, Trait>;

function receiptsAre(answer: object) {
  return ({ method }: RpcRequest) => (method === 'eth_getBlockReceipts' ? answer : undefined);
}

/** A result that comes too late: the caller gives up before. */
export const TOO_LATE = Symbol('too late');

export type TraitName = keyof typeof traits;
const traitNames = Object.keys(traits) as readonly TraitName[];

/** Traits that an RPC has together, each for a share of its requests. */
export class Provider {
  /** Answers that a trait has changed, by its name. */
  readonly hits = new Map<TraitName, number>();
  readonly #traits: readonly { readonly name: TraitName; readonly percent: number }[];

  constructor(
    names: readonly TraitName[],
    private readonly dice: Dice,
  ) {
    this.#traits = names.map((name) => {
      const { percent = [100] }: Trait = traits[name];
      return { name, percent: dice.pick(percent) };
    });
  }

  /** Some traits that the dice pick, up to four. */
  static picked(dice: Dice, names: readonly TraitName[] = traitNames): Provider {
    const some = dice.shuffled(names).slice(0, dice.between(1, 4));
    return new Provider(some, dice);
  }

  get names(): readonly TraitName[] {
    return this.#traits.map(({ name }) => name);
  }

  /** The HTTP response in place of the RPC's, if a trait gives one. */
  http(): { readonly status: number; readonly body: string } | undefined {
    for (const [name, trait] of this.#hitting()) {
      if (trait.http !== undefined) return this.#hit(name, trait.http());
    }
    return undefined;
  }

  /** The answer to a request. @param ask asks the RPC itself. */
  async answer(request: RpcRequest, ask: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    const hitting = this.#hitting();
    const about = { jsonrpc: '2.0', id: request.id };
    for (const [name, { refuses }] of hitting) {
      const refusal = refuses?.(request);
      if (refusal !== undefined) return this.#hit(name, { ...about, ...refusal });
    }
    const answer = await ask();
    if (!('result' in answer)) return answer;
    let { result } = answer;
    for (const [name, { changes }] of hitting) {
      const changed = changes?.(request, result) ?? result;
      if (changed !== result) result = this.#hit(name, changed);
    }
    return { ...answer, result };
  }

  /** The response to a batch of its answers. */
  batch(answers: readonly RpcAnswer[]): unknown {
    for (const [name, { batch }] of this.#hitting()) {
      if (batch !== undefined && answers.length > 1) return this.#hit(name, batch(answers));
    }
    return answers;
  }

  #hitting(): readonly (readonly [TraitName, Trait])[] {
    return this.#traits
      .filter(({ percent }) => this.dice.chance(percent))
      .map(({ name }) => [name, traits[name]] as const);
  }

  #hit<T>(name: TraitName, value: T): T {
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
    return value;
  }
}
