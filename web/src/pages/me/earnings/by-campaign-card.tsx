import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { groupDigits } from '../../../format.ts';
import { ClaimDialog } from './claim-dialog.tsx';

const buckets = [
  ['atRisk', 'On hold'],
  ['readyToFinalize', 'Ready to finalize'],
  ['claimable', 'Claimable'],
  ['claimed', 'Claimed'],
] as const;

/** Earnings by campaign, each with a button to claim it alone. */
export function ByCampaignCard({ address }: { readonly address: string }) {
  const [claiming, setClaiming] = useState<string>();
  const pages = usePages([MINE, 'earnings.byCampaign'], api.earnings.byCampaign, { limit: 20 });
  return (
    <Card title="By campaign">
      <PagedTable
        caption="Earnings by campaign"
        pages={pages}
        empty="No campaign has rewarded this account yet."
        rowKey={({ campaignId }) => campaignId}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId, campaignTitle }) => (
              <Link href={pathOf('campaign', { campaignId })}>{campaignTitle}</Link>
            ),
          },
          {
            name: 'Sales',
            numeric: true,
            cell: ({ conversions }) => groupDigits(String(conversions)),
          },
          ...buckets.map(([bucket, name]) => ({
            name,
            numeric: true,
            cell: ({ rewards, token }: (typeof pages.items)[number]) => (
              <Amount value={rewards[bucket]} token={token} />
            ),
          })),
          {
            name: 'Pay',
            cell: ({ campaignId, campaignTitle, rewards }) =>
              BigInt(rewards.claimable) + BigInt(rewards.readyToFinalize) > 0n && (
                <Button
                  aria-label={`Claim ${campaignTitle}`}
                  onClick={() => setClaiming(campaignId)}
                >
                  Claim
                </Button>
              ),
          },
        ]}
      />
      {claiming !== undefined && (
        <ClaimDialog
          campaignId={claiming}
          address={address}
          onClose={() => setClaiming(undefined)}
        />
      )}
    </Card>
  );
}
