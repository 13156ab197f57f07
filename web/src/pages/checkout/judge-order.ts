// What the service hands out to sign is judged before the wallet is asked: such a signature pays.
import { hashTypedData, zeroAddress } from 'viem';
import {
  contractStructs,
  domainFields,
  tokenStructs,
} from '../../../../engine/core/signed-structs.ts';
import { signingDomain } from '../../../../engine/core/signing-domain.ts';
import { type TypedData, WalletError } from '../../account/wallet.ts';
import type { api, DataOf } from '../../api.ts';

export type PreparedOrder = DataOf<typeof api.checkout.prepareOrder>;
type Signature = PreparedOrder['signatures'][number];
type Intent = DataOf<typeof api.checkout.getIntent>;

/** A purchase as the page shows it, from other answers of the service than the data to sign. */
export interface SeenOrder {
  readonly intent: Pick<
    Intent,
    | ('chainId' | 'campaignId' | 'nodeId' | 'skuHash' | 'token' | 'amount' | 'buyer')
    | ('orderKey' | 'minPolicyVersion' | 'expiresAt')
  >;
  /** The account that signed in. */
  readonly buyer: string;
  /** Chain and contract of this service, as every page shows them. */
  readonly chainId: number;
  readonly contract: string;
  /** Campaign, terms and SKU of the order that the page shows. */
  readonly campaignId: string;
  readonly termsHash: string;
  readonly skuHash: string;
  /** The link of that order; `undefined` for a sale without one. */
  readonly nodeId: string | undefined;
  readonly nodeOwner: string;
}

/** Data that a wallet may be asked to sign. */
export interface JudgedSignature {
  readonly name: Signature['name'];
  readonly data: TypedData;
}

/** The data to sign differs from the purchase that the page shows. Nothing was signed. */
class UnexpectedOrderError extends WalletError {
  constructor(field: string, given: unknown, expected: unknown) {
    const [is, should] = [given, expected].map((value) => JSON.stringify(value) ?? 'missing');
    super(
      `Nothing was signed: what this service gave to sign is not this purchase. The field ${field} is ${is}, and should be ${should}.`,
    );
  }
}

/**
 * Data to sign for a purchase, in the order in which it is signed. It is made from what the page shows, and the
 * service's data must be the same: only name and version of a token's domain and the nonce of a permit are its own.
 * @throws {UnexpectedOrderError} naming the first field that differs.
 */
export function judgeOrder(seen: SeenOrder, prepared: PreparedOrder): readonly JudgedSignature[] {
  judgeIntent(seen);
  const order = orderOf(seen);
  const { payment, signatures } = prepared;
  const names = {
    authorization: ['AUTHORIZATION'],
    permit: ['PERMIT', 'ORDER'],
    allowance: ['ORDER'],
  };
  const expected = payment === null ? [] : names[payment];
  requireSame('signatures', signatures.map(({ name }) => name).join(), expected.join());
  return signatures.map((given) => {
    const data = given.name === 'ORDER' ? order : paymentOf(seen, given, order);
    requireSameData(given, data);
    return { name: given.name, data };
  });
}

/** The intent is of the order above it on the page, and of its account. */
function judgeIntent({ intent, ...seen }: SeenOrder): void {
  requireSame('chainId', intent.chainId, seen.chainId);
  requireSame('campaignId', intent.campaignId, seen.campaignId);
  requireSame('skuHash', intent.skuHash, seen.skuHash);
  requireSame('nodeId', intent.nodeId ?? '0', seen.nodeId ?? '0');
  requireSame('buyer', intent.buyer, seen.buyer);
}

/** Last second at which the order is valid: the page says when that is. */
function deadlineOf({ expiresAt }: SeenOrder['intent']): number {
  return Math.floor(Date.parse(expiresAt) / 1_000);
}

function orderOf({ intent, chainId, contract, termsHash, nodeOwner }: SeenOrder): TypedData {
  return {
    domain: { ...signingDomain, chainId, verifyingContract: contract },
    primaryType: 'BuyOrder',
    types: { EIP712Domain: domainFields, BuyOrder: contractStructs.BuyOrder },
    message: {
      campaignId: intent.campaignId,
      termsHash,
      buyer: intent.buyer,
      nodeId: intent.nodeId ?? '0',
      nodeOwner: intent.nodeId === null ? zeroAddress : nodeOwner,
      skuHash: intent.skuHash,
      orderKey: intent.orderKey,
      maxAmount: intent.amount,
      minPolicyVersion: String(intent.minPolicyVersion),
      deadline: String(deadlineOf(intent)),
    },
  };
}

/** The payment of exactly this order: an authorization is bound to it by its nonce, a permit pays no one else. */
function paymentOf(
  { intent, chainId, contract }: SeenOrder,
  { name, typedData: given }: Signature,
  order: TypedData,
): TypedData {
  const { name: token, version } = given.domain;
  const domain = { name: token, version, chainId, verifyingContract: intent.token.address };
  const paid = { value: intent.amount };
  if (name === 'AUTHORIZATION') {
    const message = {
      ...{ from: intent.buyer, to: contract, ...paid, validAfter: '0' },
      ...{ validBefore: String(deadlineOf(intent) + 1), nonce: digestOf(order) },
    };
    return tokenData(domain, 'ReceiveWithAuthorization', message);
  }
  const { nonce = '' } = given.message;
  if (!/^(?:0|[1-9][0-9]{0,77})$/.test(nonce)) {
    throw new UnexpectedOrderError('PERMIT.nonce', nonce, 'a number');
  }
  const deadline = String(deadlineOf(intent));
  return tokenData(domain, 'Permit' as const, {
    ...{ owner: intent.buyer, spender: contract, ...paid, nonce, deadline },
  });
}

function tokenData(
  domain: TypedData['domain'],
  primaryType: keyof typeof tokenStructs,
  message: TypedData['message'],
): TypedData {
  const types = { EIP712Domain: domainFields, [primaryType]: tokenStructs[primaryType] };
  return { domain, primaryType, types, message };
}

function digestOf({ domain, types, primaryType, message }: TypedData): string {
  const { verifyingContract } = domain;
  return hashTypedData({
    domain: { ...domain, verifyingContract: verifyingContract as `0x${string}` },
    ...{ types, primaryType, message },
  });
}

/** @throws {UnexpectedOrderError} if a wallet would sign something else with the data that was given. */
function requireSameData({ name, typedData: given }: Signature, data: TypedData): void {
  const parts = [
    ['domain.', given.domain, data.domain],
    ['', given.message, data.message],
  ] as const;
  for (const [path, is, should] of parts) {
    const fields: Readonly<Record<string, unknown>> = { ...is };
    for (const [field, value] of Object.entries(should)) {
      requireSame(`${name}.${path}${field}`, fields[field], value);
    }
    const [other] = Object.keys(fields).filter((field) => !Object.hasOwn(should, field));
    if (other !== undefined) {
      throw new UnexpectedOrderError(`${name}.${path}${other}`, fields[other], undefined);
    }
  }
  requireSame(`${name}.primaryType`, given.primaryType, data.primaryType);
  requireSame(`${name}.types`, typesText(given.types), typesText(data.types));
}

/** The types in one text, in which the order of fields counts and that of structs does not. */
function typesText(types: TypedData['types']): string {
  return Object.keys(types)
    .sort()
    .map((name) => `${name}(${types[name]?.map((field) => `${field.type} ${field.name}`).join()})`)
    .join();
}

/** Hex digits are the same in both cases. */
function requireSame(field: string, given: unknown, expected: string | number): void {
  const text = (value: unknown) =>
    typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value;
  if (text(given) !== text(expected)) throw new UnexpectedOrderError(field, given, expected);
}
