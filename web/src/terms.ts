/** Words of the pages with their meaning. `docs/reference/glossary.md` has those of the code, too. */
export const terms = {
  campaign: {
    name: 'Campaign',
    text: 'A product for sale, with the rules of its rewards and a vault that pays them. It lives in a contract on the chain.',
  },
  merchant: {
    name: 'Merchant',
    text: 'The account that created a campaign, sells its product and funds its rewards.',
  },
  distributor: {
    name: 'Distributor',
    text: 'An account that shares links and earns a part of the sales that come through them.',
  },
  link: {
    name: 'Link',
    text: 'A distributor’s place in a campaign. Sales through it reward its owner and, up to five levels, the owners of the links above it.',
  },
  level: {
    name: 'Level',
    text: 'Level 1 is the link through which a sale came. Level 2 is the link above it, and so on, up to five.',
  },
  policy: {
    name: 'Reward policy',
    text: 'How much of a sale is paid as rewards, to how many levels, with which limits, and how long the money is held.',
  },
  hold: {
    name: 'Hold',
    text: 'The time after a sale in which the buyer can be refunded. Rewards are reserved meanwhile.',
  },
  finalize: {
    name: 'Finalize',
    text: 'Once the hold is over, anyone can finalize a sale. Its rewards then become claimable.',
  },
  completed: {
    name: 'Completed',
    text: 'The sale was finalized: its hold is over, and its rewards can be claimed.',
  },
  refunded: {
    name: 'Refunded',
    text: 'The merchant paid the buyer back during the hold. The reserved rewards went back to the vault.',
  },
  reversed: {
    name: 'Reversed',
    text: 'The sale was cancelled after it was finalized. Rewards that were not claimed went back to the vault.',
  },
  onHold: {
    name: 'On hold',
    text: 'The sale was recorded and its hold still runs. Its rewards are reserved; a refund takes them back.',
  },
  readyToFinalize: {
    name: 'Ready to finalize',
    text: 'Rewards of sales whose hold is over. They become claimable when anyone finalizes the sales.',
  },
  claimable: {
    name: 'Claimable',
    text: 'Rewards that belong to their owner now, and that the owner can claim from the contract.',
  },
  claimed: {
    name: 'Claimed',
    text: 'Rewards that were paid to their owner.',
  },
  missed: {
    name: 'Missed',
    text: 'What a level would have earned if a limit of the policy or the vault’s budget had not prevented it.',
  },
  available: {
    name: 'Available',
    text: 'Money in a campaign’s vault that no sale has reserved.',
  },
  proceeds: {
    name: 'Proceeds',
    text: 'What buyers paid, before the merchant claims it from the contract.',
  },
  surplus: {
    name: 'Surplus',
    text: 'Money in the vault that is no longer needed for rewards. The merchant can withdraw it.',
  },
  settledBlock: {
    name: 'Settled block',
    text: 'The newest block that these numbers include.',
  },
  finality: {
    name: 'Finality',
    text: 'How certain it is that a block stays on the chain: not final yet, safe, or final.',
  },
  baseUnits: {
    name: 'Base units',
    text: 'The smallest unit of a token. All amounts are computed in it, without rounding.',
  },
  attested: {
    name: 'Paid elsewhere',
    text: 'A sale that was not paid through the contract: a signer whom the merchant named vouches for it.',
  },
  receipt: {
    name: 'Receipt',
    text: 'A sale with its rewards, the reasons for each amount, and where each step is on the chain. Anyone can verify it.',
  },
} as const;

export type Term = keyof typeof terms;
