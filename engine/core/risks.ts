import type { TrustMode } from './events.ts';

/** Name of a risk, for programs. */
export const riskCodes = [
  'REFUND',
  'REVERSE',
  'INVENT_SALES',
  'OMIT_SALES',
  'CHOOSE_ATTESTERS',
  'CHANGE_TERMS',
  'STOP',
  'SPEND_BUDGET',
  'WITHDRAW_SURPLUS',
  'SELF_DEAL',
  'BUYERS_JOIN',
] as const;

/** Something that the contract allows another account to do, and that can cost a distributor rewards. */
export interface Risk {
  readonly code: (typeof riskCodes)[number];
  /** Who can do it: the merchant, or any account. */
  readonly by: 'merchant' | 'anyone';
  /** A sentence without its subject: "Pause …". */
  readonly text: string;
}

function merchantCan(code: Risk['code'], text: string): Risk {
  return { code, by: 'merchant', text };
}

/**
 * Risks of one trust mode. API, pages and docs/use/trust-modes.md have these sentences from here; a test compares
 * the docs with them.
 */
export const risksOfMode: Readonly<Record<TrustMode, readonly Risk[]>> = {
  NATIVE_ONCHAIN: [
    merchantCan(
      'REFUND',
      'Refund a pending sale to its buyer. You lose the same part of your reward.',
    ),
  ],
  MERCHANT_ATTESTED: [
    merchantCan('INVENT_SALES', 'Record sales that never happened, at no cost.'),
    merchantCan('OMIT_SALES', 'Record no sale that came through your link.'),
    merchantCan(
      'REFUND',
      'Refund a pending sale without paying anyone. You lose the same part of your reward.',
    ),
    merchantCan(
      'REVERSE',
      'Reverse a sale for 30 days after it was finalized. You lose its reward unless you have claimed it.',
    ),
  ],
  THIRD_PARTY_VERIFIED: [
    merchantCan('CHOOSE_ATTESTERS', 'Choose the attesters, an account of its own among them.'),
    merchantCan('INVENT_SALES', 'Have an attester record sales that never happened.'),
    merchantCan('OMIT_SALES', 'Have no sale recorded that came through your link.'),
    merchantCan(
      'REFUND',
      'Refund a pending sale without paying anyone, if its attester signs. You lose the same part of your reward.',
    ),
    merchantCan(
      'REVERSE',
      'Reverse a sale for 30 days after it was finalized, if its attester signs. You lose its reward unless you have claimed it.',
    ),
  ],
};

/** Risks of every campaign. */
export const risksOfEveryMode: readonly Risk[] = [
  merchantCan(
    'CHANGE_TERMS',
    'Change prices immediately, and the reward policy of later sales with an hour’s notice.',
  ),
  merchantCan('STOP', 'Pause or end the campaign, which stops sales and joining.'),
  merchantCan(
    'SPEND_BUDGET',
    'Let the budget run out. A sale then pays less than the policy’s rate, or nothing.',
  ),
  merchantCan('WITHDRAW_SURPLUS', 'Withdraw what no sale has reserved once the campaign is over.'),
  merchantCan('SELF_DEAL', 'Join and buy through links of its own.'),
];

/** Risk of every campaign that anyone may join. */
export const riskOfOpenCampaigns: Risk = {
  code: 'BUYERS_JOIN',
  by: 'anyone',
  text: 'Follow your link, join under it, and buy through the new link. The buyer then has the selling level, and you have the level above.',
};

/** A campaign, as far as its risks depend on it. */
interface RiskyCampaign {
  readonly trustMode: TrustMode;
  readonly inviteOnly: boolean;
}

/** Everything that others can do to the rewards of a campaign's distributors, those of its trust mode first. */
export function risksOf({ trustMode, inviteOnly }: RiskyCampaign): Risk[] {
  const others = inviteOnly ? [] : [riskOfOpenCampaigns];
  return [...risksOfMode[trustMode], ...risksOfEveryMode, ...others];
}
