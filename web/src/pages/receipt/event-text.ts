import { humanAmount, shortHex, type Unit } from '../../format.ts';

interface SaleEvent {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An event of a sale as a sentence; one that this page does not know keeps its name. */
export function eventText({ name, args }: SaleEvent, token: Unit): string {
  const text = texts[name];
  return text === undefined ? name : text({ args, token });
}

interface Told {
  readonly args: SaleEvent['args'];
  readonly token: Unit;
}

const texts: Readonly<Record<string, (told: Told) => string>> = {
  SaleAttested: ({ args }) => `The sale was attested by ${account(args.signer)}.`,
  SaleRecorded: (told) => `The sale was recorded: ${amount(told)} was paid.`,
  RewardReleased: (told) => `Level ${told.args.level} released ${amount(told)} of its share.`,
  SaleRefunded: (told) => `The buyer got ${amount(told)} back.`,
  RewardVested: (told) =>
    `${amount(told)} vested for level ${told.args.level}, ${account(told.args.recipient)}.`,
  SaleFinalized: () => 'The sale was finalized: nothing of it can be refunded any more.',
  RewardReversed: (told) => `${amount(told)} was taken back from level ${told.args.level}.`,
  SaleReversed: () => 'The sale was reversed.',
};

function amount({ args, token }: Told): string {
  const units = String(args.amount);
  if (!/^-?\d+$/.test(units)) return `${units} base units`;
  return `${humanAmount(units, token.decimals)} ${token.symbol}`;
}

function account(value: unknown): string {
  return shortHex(String(value));
}
