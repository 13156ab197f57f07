import type { ReactNode } from 'react';
import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf } from '../../api.ts';
import { isNoLimit } from '../../attester-limits.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { duration, percent, shortHex, type Unit, words } from '../../format.ts';
import { capOf } from '../campaign/policy/policy-words.ts';

type Change = DataOf<Client['operations']['pause']>['preview'][number];
type Show = (text: string, token: Unit) => ReactNode;

const amount: Show = (text, token) => <Amount value={text} token={token} />;
const cap: Show = (text, token) => (capOf(text) === null ? 'None' : amount(text, token));
const word: Show = (text) => words(text);
const time: Show = (text) =>
  /^\d+$/.test(text) ? (
    <Time at={new Date(Number(text) * 1_000).toISOString()} />
  ) : (
    <Time at={text} />
  );
const yesOrNo: Show = (text) => (text === 'true' ? 'yes' : 'no');
const limit: Show = (text, token) => (isNoLimit(text) ? 'No limit' : amount(text, token));
const share: Show = (text) => percent(BigInt(text));
const list: Show = (text) => (JSON.parse(text) as unknown[]).join(', ') || 'none';
const weights: Show = (text) => (JSON.parse(text) as number[]).map(percent).join(' · ');

/** Values by name: how to call each, and how to show it. */
const fields: Readonly<Record<string, readonly [name: string, show: Show]>> = {
  state: ['State', word],
  price: ['Price', amount],
  'capacity.nodes': ['Links allowed', word],
  'capacity.sales': ['Sales allowed', word],
  'rewardLedger.netDeposited': ['Rewards deposited', amount],
  'rewardLedger.available': ['Available in the vault', amount],
  'rewardLedger.pendingReserved': ['Reserved rewards', amount],
  'rewardLedger.vestedUnclaimed': ['Claimable rewards', amount],
  'rewardLedger.rewardsClaimed': ['Claimed rewards', amount],
  'proceedsLedger.proceedsPending': ['Proceeds on hold', amount],
  'proceedsLedger.proceedsClaimable': ['Proceeds to claim', amount],
  'proceedsLedger.buyerRefunded': ['Refunded to buyers', amount],
  'counts.pending': ['Sales on hold', word],
  'counts.finalized': ['Completed sales', word],
  'counts.refunded': ['Refunded sales', word],
  version: ['Version of the policy', word],
  refundedTotal: ['Refunded', amount],
  reserved: ['Reserved rewards', amount],
  claimable: ['Claimable rewards', amount],
  refunded: ['Rewards released by refunds', amount],
  reversed: ['Rewards released by reversals', amount],
  commissionBps: ['Reward of a sale', share],
  perSaleCap: ['Largest reward of a sale', cap],
  campaignLiabilityCap: ['Largest reward of the campaign', cap],
  maxRewardedAncestors: ['Rewarded levels', word],
  weightsBps: ['Levels, nearest first', weights],
  shortPathMode: ['Part of missing levels', word],
  holdSeconds: ['Hold', (text) => duration(Number(text))],
  expiry: ['Policy expires', time],
  effectiveAt: ['In effect from', time],
  regions: ['Regions', list],
  sharingRules: ['Sharing rules', list],
  rewardToken: ['Reward token', shortHex],
  eligibilityHash: ['Hash of regions and rules', shortHex],
  policyHash: ['Policy hash', shortHex],
  allowed: ['Allowed', yesOrNo],
  excludesSelfReferral: ['Refuses self-referral', yesOrNo],
  perOrder: ['Largest sale', limit],
  daily: ['Most in a day', limit],
};

interface PreviewProps {
  readonly changes: readonly Change[];
  readonly token: Unit;
}

/** Values that the transactions change, before and after. */
export function Preview({ changes, token }: PreviewProps) {
  if (changes.length === 0) return null;
  const show = (field: string, value: string | null) =>
    value === null ? '–' : (fields[field]?.[1] ?? word)(value, token);
  return (
    <DataTable
      caption="What changes"
      rows={changes}
      rowKey={({ subject, id, field }) => `${subject}/${id}/${field}`}
      columns={[
        {
          name: 'What changes',
          cell: ({ field }) => fields[field]?.[0] ?? sentenceCase(words(field)),
        },
        ...(changes.some(({ subject }) => !['campaign', 'policy'].includes(subject))
          ? [{ name: 'Of', cell: (change: Change) => <Subject change={change} /> }]
          : []),
        { name: 'Before', numeric: true, cell: ({ field, before }) => show(field, before) },
        { name: 'After', numeric: true, cell: ({ field, after }) => show(field, after) },
      ]}
    />
  );
}

function Subject({ change: { subject, id } }: { readonly change: Change }) {
  if (!id.startsWith('0x')) return `${words(subject)} ${id}`;
  return (
    <>
      {words(subject)} <AddressLink address={id} />
    </>
  );
}

const sentenceCase = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
