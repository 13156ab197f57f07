import type { z } from 'zod';
import type { TokenWarning } from '../../../contract/shapes/token-warning.ts';
import { percentText } from '../../../core/amount-text.ts';
import { countOf } from '../../../core/count-of.ts';
import type { TokenMetadata } from './metadata.ts';
import type { Code, Report, Transfer } from './probe.ts';

type Warning = z.infer<typeof TokenWarning>;

/** Ordinals of `TokenProbe.Answer`. */
const ANSWER = { reverted: 0, nothing: 1, true: 2, other: 3 } as const;

/** Gas that the contract offers a token for a refund or reward (`Transfers.TRANSFER_GAS`). */
const PAYMENT_GAS = 500_000n;

/** Base units that a transfer of shares rounds away at most. */
const SHARE_ROUNDING = 2n;

/** Findings about a token; `null` where the chain did not answer. */
export interface TokenFacts {
  readonly metadata: TokenMetadata | null;
  readonly code: Code | null;
  readonly report: Report | null;
}

/** Warnings for a merchant who is about to create a campaign with a token, the most harmful first. */
export function warningsOf({ metadata, code, report }: TokenFacts): Warning[] {
  const unexamined = [
    ...(metadata === null ? ['its decimals and name'] : []),
    ...(code === null ? ['its code'] : []),
    ...(report === null ? ['its transfers'] : []),
  ];
  if (code?.isEmpty) {
    return [{ code: 'NO_TOKEN', message: 'There is no contract at this address on this chain.' }];
  }
  const found = [
    ...(report === null ? [] : ofTransfers(report)),
    ...(code === null ? [] : ofCode(code)),
    ...(metadata === null ? [] : ofMetadata(metadata)),
  ];
  if (unexamined.length > 0) {
    const message = `The chain did not answer about ${unexamined.join(', ')}: what the token does is unknown.`;
    found.push({ code: 'NOT_EXAMINED', message });
  }
  // What was both seen and read in the code is one warning.
  return found.filter(({ code }, i) => found.findIndex((one) => one.code === code) === i);
}

function ofTransfers({
  approve,
  approveAgain,
  approveZero,
  incoming,
  outgoing,
  callsBack,
}: Report) {
  const warnings: Warning[] = [];
  const add = (code: Warning['code'], message: string) => warnings.push({ code, message });
  if (isRefused(approveAgain) && isRefused(approveZero)) {
    add(
      'APPROVALS',
      'The token neither changes nor removes an allowance: an account that has approved another amount cannot pay.',
    );
  }
  if (isRefused(approve)) {
    add('DEPOSITS_FAIL', 'The token refuses approvals: deposits and purchases will fail.');
  } else if (incoming.amount === 0n) {
    add(
      'NOT_TRIED',
      'Your account has none of the token, so its transfers could not be tried: what they do is unknown.',
    );
  } else if (isRefused(incoming.answer) || incoming.received === 0n) {
    add(
      'DEPOSITS_FAIL',
      'The token refused a transfer just now: deposits and purchases will fail.',
    );
  }
  const paid = outgoing.filter(({ amount }) => amount > 0n);
  const inexact = paid.find((one) => isMoved(one) && !isExact(one));
  const refused = paid.find((one) => !isMoved(one) || one.gasUsed > PAYMENT_GAS);
  if (inexact) {
    add(
      'INEXACT_PAYMENTS',
      `A payment of ${inexact.amount} base units took ${inexact.taken} from the payer${isRefused(inexact.answer) ? ', though the token answered that it refused' : ''}: the contract reverts such payments. Rewards, refunds, proceeds and the rest of the deposit can be locked in it.`,
    );
  } else if (refused) {
    add(
      'PAYMENTS_FAIL',
      'The token refused a payment, or needs more gas than the contract offers: rewards and refunds become credits, and your own withdrawals revert.',
    );
  }
  const less = [incoming, ...paid].find(
    ({ amount, received }) => received > 0n && received < amount,
  );
  if (less && less.amount - less.received > SHARE_ROUNDING) {
    add(
      'TRANSFER_FEE',
      `About ${percentText(Number(((less.amount - less.received) * 10_000n) / less.amount))} of a transfer does not arrive. Deposits and sales count as what arrives, and rewards are paid less the fee.`,
    );
  } else if (less && !inexact) {
    add(
      'SHARES',
      `Of ${less.amount} base units sent, ${less.received} arrive, as with tokens that count shares. If a payment takes another amount than asked, the contract reverts it: claims can be locked.`,
    );
  }
  if (callsBack) {
    add('CALLS_BACK', abilities.CALLS_BACK);
  }
  return warnings;
}

/** Sentences about functions in the code. */
const abilities = {
  CALLS_BACK:
    'The token calls the accounts that it moves between: a recipient can refuse a payment, which then becomes a credit.',
  REBASES:
    'Balances of the token change without transfers. If they fall, the contract cannot pay everything that it owes; if they rise, the surplus stays in it for good.',
  BLOCKLIST:
    'Its issuer can block accounts. Rewards of a blocked account become a credit; if the contract is blocked, nothing can be paid.',
  PAUSABLE:
    'Its issuer can stop all transfers. Until it resumes, sales and withdrawals fail, and rewards and refunds become credits.',
  FEE_POSSIBLE: 'Its issuer can begin to take a fee of each transfer.',
  UPGRADABLE:
    'Its issuer can replace its code: later it may take fees, stop payments or change balances.',
} as const;

function ofCode({ traits }: Code): Warning[] {
  const codes = Object.keys(abilities) as (keyof typeof abilities)[];
  return codes
    .filter((code) => traits.has(code))
    .map((code) => ({ code, message: abilities[code] }));
}

function ofMetadata({ decimals, symbol, name }: TokenMetadata): Warning[] {
  const warnings: Warning[] = [];
  if (decimals === undefined) {
    warnings.push({
      code: 'NO_TOKEN',
      message: 'It does not report 0 to 36 decimals, so the contract refuses it.',
    });
  } else if (decimals === 0) {
    const message =
      'It has no decimals. Each reward rounds down to a whole token, to none if the share is below one.';
    warnings.push({ code: 'DECIMALS', message });
  } else if (decimals > 18) {
    const message = `It has ${countOf(decimals, 'decimal')}, more than many wallets and exchanges can show.`;
    warnings.push({ code: 'DECIMALS', message });
  }
  if (symbol === '' || name === '') {
    const message =
      'It reports no symbol or no name that can be read: people can tell it only by its address.';
    warnings.push({ code: 'NAME', message });
  }
  return warnings;
}

function isRefused(answer: number): boolean {
  return answer === ANSWER.reverted || answer === ANSWER.other;
}

/** True if the payer paid: the contract then takes a refusal for a lie, and reverts. */
function isMoved({ taken, answer }: Transfer): boolean {
  return taken > 0n || !isRefused(answer);
}

function isExact({ amount, taken, answer }: Transfer): boolean {
  return taken === amount && !isRefused(answer);
}
