import { useState } from 'react';
import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
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
    <>
      <ListCard
        title="By campaign"
        caption="Earnings by campaign"
        pages={pages}
        size={[14.3, 51.3]}
        empty="No campaign has rewarded this account yet."
        rowKey={({ campaignId }) => campaignId}
        columns={[
          column.campaign,
          column.count('Sales', 'conversions'),
          ...buckets.map(([bucket, name]) => column.amount(name, `rewards.${bucket}`)),
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
    </>
  );
}
