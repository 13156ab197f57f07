import { encodeAbiParameters, type Hex, maxUint256, stringToHex, toHex } from 'viem';

/** Behaviours of `QuirkyToken`, in the order of their ordinals. */
export const quirks = [
  ...(['approveFromZeroOnly', 'refusesApproveZero', 'returnsNothing', 'falseOnFailure'] as const),
  ...(['falseOnSuccess', 'refusesZeroTransfer', 'uint96', 'fee', 'feeOnTop'] as const),
  ...(['refusesSelfAndZero', 'ownBalanceNeedsNoAllowance', 'infiniteAllowanceFalls'] as const),
  ...(['maxMeansBalance', 'callsRecipient', 'paused', 'reportsAnyBalance'] as const),
  ...(['burnsGasOnTransfer', 'endlessName'] as const),
] as const;

export type Quirk = (typeof quirks)[number];

/** Bits of behaviours. */
export function bitsOf(list: readonly Quirk[]): bigint {
  return list.reduce((bits, quirk) => bits | (1n << BigInt(quirks.indexOf(quirk))), 0n);
}

/** What happens to money in one direction. */
export type Outcome =
  | 'as usual'
  /** Less arrives than was sent, and that counts. */
  | 'less arrives'
  | 'credited'
  | 'reverts'
  /** Some amounts as usual, some with less, some reverts. */
  | 'by amount'
  /** Never tried, because a step before it fails. */
  | '–';

/** A kind of token, and what happens to a campaign with it. */
export interface TokenKind {
  readonly name: string;
  /** Tokens in use that are of this kind. */
  readonly seen?: string;
  readonly quirks?: readonly Quirk[];
  /** Value of 1e18 shares; 1e18 if the token counts no shares. */
  readonly index?: bigint;
  /** Raw answers; by default those of an ordinary token of 6 decimals. */
  readonly decimals?: Hex;
  readonly symbol?: Hex;
  readonly text?: Hex;
  /** Base units that the merchant and the buyer have each. */
  readonly supply?: bigint;
  /** What becomes of the token after the sales. */
  readonly later?: {
    readonly quirks?: readonly Quirk[];
    readonly index?: bigint;
    readonly decimals?: Hex;
    readonly blocks?: 'payees' | 'contract';
  };
  /** Error of the contract at creation, which has none if it runs out of gas; without it, the campaign is created. */
  readonly refused?: 'TokenDecimalsMissing' | 'TokenDecimalsTooMany' | 'no reason';
  /** Codes of the warnings before creation. */
  readonly warnings?: readonly string[];
  /** `fund` and `buy`. */
  readonly deposit: Outcome;
  /** `refund` and `claimRewards`. */
  readonly payment: Outcome;
  /** `claimProceeds` and `withdrawSurplus`. */
  readonly withdrawal: Outcome;
  /** Steps that this service plans if another amount is approved; default: one approval. */
  readonly approval?: 'reset first' | 'fails';
  /** True if the contract ends with less than it owes, which the audit reports. */
  readonly short?: true;
}

const usual = { deposit: 'as usual', payment: 'as usual', withdrawal: 'as usual' } as const;

/** The ABI encoding of a text, as a token answers it. */
function answer(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

const word = (count: number | bigint) => toHex(count, { size: 32 });

/** Arguments of the constructor of `QuirkyToken`. */
export function constructorOf({ decimals, symbol, text, quirks = [], index }: TokenKind) {
  return [
    ...[decimals ?? word(6), symbol ?? answer('QUIRK'), text ?? answer('Quirky')],
    ...[bitsOf(quirks), index ?? 10n ** 18n],
  ];
}

export const ordinaryKind: TokenKind = { name: 'Ordinary', ...usual };

/**
 * Kinds of tokens (docs/reference/tokens.md has them as a table), after https://github.com/d-xo/weird-erc20. Each is
 * tried with the contract on a chain.
 */
export const tokenKinds: readonly TokenKind[] = [
  ordinaryKind,
  {
    name: 'Changes an allowance only from or to zero',
    seen: 'USDT, KNC',
    quirks: ['approveFromZeroOnly'],
    ...usual,
    approval: 'reset first',
  },
  { name: 'Refuses to approve zero', seen: 'BNB', quirks: ['refusesApproveZero'], ...usual },
  {
    name: 'Both: an allowance can only be used up',
    quirks: ['approveFromZeroOnly', 'refusesApproveZero'],
    ...usual,
    approval: 'fails',
    warnings: ['APPROVALS'],
  },
  { name: 'Returns nothing', seen: 'USDT, OMG', quirks: ['returnsNothing'], ...usual },
  {
    name: 'Returns `false` instead of reverting',
    seen: 'ZRX',
    quirks: ['falseOnFailure', 'approveFromZeroOnly'],
    ...usual,
    approval: 'reset first',
  },
  {
    name: 'Returns `false` though it paid',
    seen: 'Tether Gold',
    quirks: ['falseOnSuccess'],
    ...usual,
    payment: 'reverts',
    withdrawal: 'reverts',
    warnings: ['INEXACT_PAYMENTS'],
  },
  { name: 'Refuses to transfer zero', seen: 'LEND', quirks: ['refusesZeroTransfer'], ...usual },
  {
    name: 'Refuses transfers to the sender or to address zero',
    seen: 'all of OpenZeppelin (zero)',
    quirks: ['refusesSelfAndZero'],
    ...usual,
  },
  { name: 'Allowances and transfers below 2^96', seen: 'UNI, COMP', quirks: ['uint96'], ...usual },
  {
    name: 'Moves an account’s own balance without an allowance',
    seen: 'DSToken, WETH',
    quirks: ['ownBalanceNeedsNoAllowance'],
    ...usual,
  },
  {
    name: 'Uses up an infinite allowance, too',
    seen: 'tokens before 2017',
    quirks: ['infiniteAllowanceFalls'],
    ...usual,
  },
  {
    name: 'Takes 2^256 − 1 for the whole balance',
    seen: 'cUSDCv3',
    quirks: ['maxMeansBalance'],
    ...usual,
  },
  { name: 'Minted at will, up to 2^256', supply: maxUint256 / 2n, ...usual },
  {
    name: 'Takes a fee of what arrives',
    seen: 'PAXG, STA',
    quirks: ['fee'],
    deposit: 'less arrives',
    payment: 'less arrives',
    withdrawal: 'less arrives',
    warnings: ['TRANSFER_FEE'],
  },
  {
    name: 'Takes a fee on top, from the sender',
    quirks: ['feeOnTop'],
    ...usual,
    payment: 'reverts',
    withdrawal: 'reverts',
    warnings: ['INEXACT_PAYMENTS'],
  },
  {
    name: 'Begins to take a fee',
    seen: 'USDT could',
    later: { quirks: ['fee'] },
    ...usual,
    payment: 'less arrives',
    withdrawal: 'less arrives',
  },
  {
    name: 'Counts shares: moves up to 2 units less',
    seen: 'stETH',
    index: 1_234_567_890_123_456_789n,
    deposit: 'by amount',
    payment: 'by amount',
    withdrawal: 'by amount',
    warnings: ['INEXACT_PAYMENTS'],
  },
  {
    name: 'Rebases: balances grow',
    seen: 'AMPL, aTokens',
    index: 10n ** 9n,
    later: { index: 2n * 10n ** 9n },
    ...usual,
  },
  {
    name: 'Rebases: balances shrink',
    seen: 'AMPL, stETH when slashed',
    index: 10n ** 9n,
    later: { index: 10n ** 6n },
    ...usual,
    payment: 'credited',
    withdrawal: 'reverts',
    short: true,
  },
  {
    name: 'Paused after the sale',
    seen: 'USDC, BNB',
    later: { quirks: ['paused'] },
    ...usual,
    payment: 'credited',
    withdrawal: 'reverts',
  },
  {
    name: 'Paused',
    quirks: ['paused'],
    deposit: 'reverts',
    payment: '–',
    withdrawal: '–',
    warnings: ['DEPOSITS_FAIL'],
  },
  {
    name: 'Blocks the payees',
    seen: 'USDC, USDT',
    later: { blocks: 'payees' },
    ...usual,
    payment: 'credited',
  },
  {
    name: 'Blocks the contract',
    seen: 'USDC, USDT',
    later: { blocks: 'contract' },
    ...usual,
    payment: 'credited',
    withdrawal: 'reverts',
  },
  {
    name: 'Calls the recipient (ERC-777)',
    seen: 'imBTC',
    quirks: ['callsRecipient'],
    ...usual,
    warnings: ['CALLS_BACK'],
  },
  {
    name: 'Changes its decimals',
    seen: 'any that is upgradable',
    later: { decimals: word(18) },
    ...usual,
  },
  {
    name: 'Uses all gas of a transfer',
    quirks: ['burnsGasOnTransfer'],
    ...usual,
    payment: 'credited',
    withdrawal: 'reverts',
    warnings: ['PAYMENTS_FAIL'],
  },
  {
    name: 'Lies about balances',
    quirks: ['reportsAnyBalance'],
    deposit: 'less arrives',
    payment: 'reverts',
    withdrawal: 'reverts',
    warnings: ['DEPOSITS_FAIL'],
  },
  {
    name: 'No decimals: whole units only',
    decimals: word(0),
    ...usual,
    warnings: ['DECIMALS'],
  },
  {
    name: '36 decimals',
    seen: 'YAM-V2 has 24',
    decimals: word(36),
    ...usual,
    warnings: ['DECIMALS'],
  },
  {
    name: 'More than 36 decimals',
    decimals: word(37),
    refused: 'TokenDecimalsTooMany',
    deposit: '–',
    payment: '–',
    withdrawal: '–',
    warnings: ['NO_TOKEN'],
  },
  {
    name: 'Reports no decimals',
    decimals: '0x',
    refused: 'TokenDecimalsMissing',
    deposit: '–',
    payment: '–',
    withdrawal: '–',
    warnings: ['NO_TOKEN'],
  },
  { name: 'No name and no symbol', symbol: '0x', text: '0x', ...usual, warnings: ['NAME'] },
  {
    name: 'Name and symbol of `bytes32`',
    seen: 'MKR',
    symbol: stringToHex('MKR', { size: 32 }),
    text: stringToHex('Maker', { size: 32 }),
    ...usual,
  },
  {
    name: 'Hostile name: control characters, HTML, right-to-left, not UTF-8',
    symbol: answer('\u202e<b>\u0000\u001b[2J'),
    text: `${word(32)}${word(4).slice(2)}${'ff00c328'.padEnd(64, '0')}` as Hex,
    ...usual,
  },
  {
    name: 'Endless name',
    quirks: ['endlessName'],
    refused: 'no reason',
    deposit: '–',
    payment: '–',
    withdrawal: '–',
    warnings: ['NAME'],
  },
  {
    name: 'Reverts when asked for a balance',
    later: { index: maxUint256 },
    ...usual,
    payment: 'reverts',
    withdrawal: 'reverts',
    short: true,
  },
];
