import { exactMoney, shortHex, type Unit } from '../../format.ts';

interface SaleEvent {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An event of a sale as a sentence; one that this page does not know keeps its name. */
export function eventText({ name, args }: SaleEvent, token: Unit): string {
  const text = texts[name];
  return text === undefined ? name : text({ args, token });
}

interface EventText {
  readonly args: SaleEvent['args'];
  readonly token: Unit;
}

const texts: Readonly<Record<string, (event: EventText) => string>> = {
  SaleAttested: ({ args }) => `The sale was attested by ${account(args.signer)}.`,
  SaleRecorded: (event) => `The sale was recorded: ${amount(event)} was paid.`,
  RewardReleased: (event) => `Level ${event.args.level} released ${amount(event)} of its share.`,
  SaleRefunded: (event) => `The buyer was refunded ${amount(event)}.`,
  RewardVested: (event) =>
    `${amount(event)} vested for level ${event.args.level}, ${account(event.args.recipient)}.`,
  SaleFinalized: (event) =>
    `The sale was finalized ${afterRefunds(event)}. It can no longer be refunded.`,
  RewardReversed: (event) => `${amount(event)} was reversed from level ${event.args.level}.`,
  SaleReversed: () => 'The sale was reversed.',
};

/** The contract names the sum of all refunds with the finalization: a history that hides one contradicts it. */
function afterRefunds({ args, token }: EventText): string {
  const { refundedTotal } = args;
  if (refundedTotal === '0') return 'without a refund';
  return `after refunds of ${amount({ args: { amount: refundedTotal }, token })}`;
}

function amount({ args, token }: EventText): string {
  const units = String(args.amount);
  if (!/^-?\d+$/.test(units)) return `${units} base units`;
  return exactMoney(units, token);
}

function account(value: unknown): string {
  return shortHex(String(value));
}
