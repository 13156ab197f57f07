// The events of the contract (docs/reference/protocol.md#events). One table says, for every event, which fields it
// has, in the order of the ABI, and how to read each from the JSON that the indexer stores. The types
// follow from it.

/** Bytes as hexadecimal digits after `0x`. */
export type Hex = `0x${string}`;

/** Address of an account or contract: `0x` and 40 lower-case hex digits. */
export type Address = Hex;

/** Thrown if an event of the chain cannot be read: the indexer and the engine disagree on its shape. */
export class FactError extends Error {
  override readonly name = 'FactError';
}

type Reader<T> = (value: unknown) => T;

const text: Reader<string> = (value) => {
  if (typeof value !== 'string') throw new FactError(`expected text, got ${typeof value}`);
  return value;
};
const hex: Reader<Hex> = (value) => {
  const read = text(value);
  if (!/^0x[0-9a-f]*$/.test(read)) throw new FactError(`expected lower-case hex, got "${read}"`);
  return read as Hex;
};
/** Base units. */
const amount: Reader<bigint> = (value) => {
  if (typeof value !== 'string' || !/^[0-9]+$/.test(value)) {
    throw new FactError(`expected an amount in decimal digits, got ${JSON.stringify(value)}`);
  }
  return BigInt(value);
};
/** A counter of the contract, as decimal digits without leading zeros. */
const id: Reader<string> = (value) =>
  typeof value === 'string' && /^[1-9][0-9]*$/.test(value) ? value : amount(value).toString();
/** An integer that the protocol limits to 2^53 − 1: a time, a rate, a capacity, a level. */
const integer: Reader<number> = (value) => {
  const read = typeof value === 'number' ? value : Number(amount(value));
  if (!Number.isSafeInteger(read)) throw new FactError(`expected an integer, got ${String(value)}`);
  return read;
};
/** Unix seconds, the end of the year 9999: the latest time that the contract accepts. */
export const MAX_TIME = 253_402_300_799;
const time: Reader<number> = (value) => {
  const read = integer(value);
  if (read < 0 || read > MAX_TIME) throw new FactError(`expected a time, got ${read}`);
  return read;
};
const flag: Reader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new FactError(`expected a flag, got ${String(value)}`);
  return value;
};
function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new FactError(`expected a list, got ${typeof value}`);
    return value.map(read);
  };
}
/** A name from a list, given by its ordinal, as the indexer stores it, or by name, as the journal does. */
function oneOf<const T extends readonly string[]>(names: T): Reader<T[number]> {
  return (value) => {
    const named = names.find((name) => name === value);
    if (named !== undefined) return named;
    const name = names[integer(value)];
    if (name === undefined) throw new FactError(`expected 0..${names.length - 1}, got ${value}`);
    return name;
  };
}
type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

function struct<const F extends Fields>(fields: F): Reader<Read<F>> {
  const readers = Object.entries(fields);
  return (value) => {
    if (typeof value !== 'object' || value === null) throw new FactError('expected an object');
    const source = value as Record<string, unknown>;
    const read: Record<string, unknown> = {};
    let field = '';
    try {
      for (const [name, reader] of readers) {
        field = name;
        read[name] = reader(source[name]);
      }
    } catch (cause) {
      if (!(cause instanceof FactError)) throw cause;
      throw new FactError(`${field}: ${cause.message}`, { cause });
    }
    // Every field was read by its own reader just above.
    return read as Read<F>;
  };
}

/** The modes for short paths (docs/reference/protocol.md#sales-and-their-split), in the order of the contract's enum. */
export const shortPathModes = ['RENORMALIZE_EXISTING', 'RETURN_UNUSED'] as const;
/** The trust modes (docs/use/trust-modes.md), in the order of the contract's enum. */
export const trustModes = ['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const;
/** Who vouches for the sales of a campaign (docs/use/trust-modes.md). */
export type TrustMode = (typeof trustModes)[number];

const policyFields = {
  rewardToken: hex,
  commissionBps: integer,
  perSaleCap: amount,
  campaignLiabilityCap: amount,
  maxRewardedAncestors: integer,
  weightsBps: listOf(integer),
  shortPathMode: oneOf(shortPathModes),
  holdSeconds: integer,
  expiry: time,
  excludesSelfReferral: flag,
  regions: listOf(text),
  sharingRules: listOf(text),
} as const;

/** The arguments of a reward level's event; `level` 1 is the selling node. */
const levelFields = { saleId: id, level: integer, nodeId: id, recipient: hex, amount } as const;
const accountAmount = { account: hex, amount } as const;

const eventReaders = {
  CampaignCreated: struct({
    merchant: hex,
    token: hex,
    tokenDecimals: integer,
    tokenSymbol: text,
    tokenName: text,
    price: amount,
    skuHash: hex,
    metadataHash: hex,
    startsAt: time,
    endsAt: time,
    nodeCapacity: integer,
    saleCapacity: integer,
    trustMode: oneOf(trustModes),
    inviteOnly: flag,
    nodesPerAccount: integer,
    salt: hex,
    termsHash: hex,
  }),
  CapacityRaised: struct({ nodeCapacity: integer, saleCapacity: integer }),
  VariantPriced: struct({ skuHash: hex, price: amount }),
  PolicyScheduled: struct({
    version: integer,
    effectiveAt: time,
    policy: struct(policyFields),
    eligibilityHash: hex,
    policyHash: hex,
  }),
  CampaignFunded: struct(accountAmount),
  SurplusWithdrawn: struct(accountAmount),
  CampaignPaused: struct({}),
  CampaignResumed: struct({}),
  CampaignEnded: struct({}),
  DistributorAllowed: struct({ account: hex, allowed: flag }),
  /** `expiry` 0 withdraws the permission. */
  AttesterAllowed: struct({ account: hex, perOrder: amount, daily: amount, expiry: time }),
  NodeJoined: struct({ nodeId: id, parentNodeId: id, owner: hex }),
  SaleRecorded: struct({
    saleId: id,
    buyer: hex,
    nodeId: id,
    amount,
    pool: amount,
    shares: listOf(amount),
    policyVersion: integer,
    holdUntil: time,
    orderKey: hex,
    skuHash: hex,
  }),
  SaleAttested: struct({ saleId: id, signer: hex, nonce: id }),
  RewardReleased: struct(levelFields),
  SaleRefunded: struct({
    saleId: id,
    buyer: hex,
    amount,
    refundedTotal: amount,
    reasonHash: hex,
  }),
  RewardVested: struct(levelFields),
  SaleFinalized: struct({ saleId: id, refundedTotal: amount }),
  RewardReversed: struct(levelFields),
  SaleReversed: struct({ saleId: id, reasonHash: hex }),
  RewardsClaimed: struct(accountAmount),
  ProceedsClaimed: struct(accountAmount),
  PaymentCredited: struct(accountAmount),
  CreditWithdrawn: struct({ account: hex, to: hex, amount }),
} as const;

/** Name of an event that changes a campaign. */
export type EventName = keyof typeof eventReaders;
/** Arguments of an event, without campaignId. */
export type EventArgs<N extends EventName> = ReturnType<(typeof eventReaders)[N]>;

/** Name and arguments of an event, without where it is on the chain. */
export type ChainEvent = {
  [N in EventName]: { readonly name: N; readonly args: EventArgs<N> };
}[EventName];

/** Location of an event on the chain. */
export interface Position {
  /** Ponder's event id: 75 digits, unique and ordered within a chain. */
  readonly id: string;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: number;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** One event of one campaign, as the indexer stored it. */
export type Fact<N extends EventName = EventName> = Position & {
  readonly campaignId: string;
  /** End of its transaction's calldata (calldata-suffix.ts), of a SaleRecorded; absent if it is not known. */
  readonly calldataEnd?: Hex;
} & Extract<ChainEvent, { name: N }>;

/** Names of all events that change a campaign. */
export const eventNames = Object.keys(eventReaders) as readonly EventName[];

/** True if a name is that of an event that changes a campaign. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventReaders, name);
}

/**
 * Reads an event from the JSON in which the indexer or the journal stores its arguments.
 * @throws {FactError} if the event is unknown or a field has another shape.
 */
export function readEvent(name: string, args: unknown): ChainEvent {
  if (!isEventName(name)) throw new FactError(`unknown event "${name}"`);
  const read: Reader<unknown> = eventReaders[name];
  // The reader of that very name produced the arguments.
  return { name, args: read(args) } as ChainEvent;
}
