import { Link } from 'wouter';
import { usePages } from '../../../api.ts';
import { limitText } from '../../../attester-limits.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { useActing } from '../acting.tsx';
import { operationPath } from '../paths.ts';
import type { Campaign } from './operations/operation.ts';

/** The attesters of a campaign, with what each may sign for and has signed for today. */
export function AttestersCard({
  campaign: { campaignId, token },
}: {
  readonly campaign: Campaign;
}) {
  const { api, key } = useActing();
  const pages = usePages([...key, 'permissions.list'], api.permissions.list, {
    campaignId,
    role: 'attester',
    limit: 20,
  });
  return (
    <Card
      title="Attesters"
      aside={<Link href={operationPath(campaignId, 'allowAttester')}>Change an attester</Link>}
    >
      <PagedTable
        caption="Attesters of the campaign"
        pages={pages}
        rowKey={({ account }) => account}
        empty="No attester yet: sales of this campaign cannot be recorded."
        columns={[
          { name: 'Attester', cell: ({ account }) => <AddressLink address={account} /> },
          {
            name: 'Largest sale',
            numeric: true,
            cell: ({ limits }) => limits && limitText(limits.perOrder, token),
          },
          {
            name: 'Most in a day',
            numeric: true,
            cell: ({ limits }) => limits && limitText(limits.daily, token),
          },
          {
            name: 'Attested today (UTC)',
            numeric: true,
            money: ({ limits }) => limits && { value: limits.attestedToday, token },
          },
          { name: 'Until', cell: ({ limits }) => limits && <Time at={limits.expiry} /> },
          {
            name: 'May attest',
            cell: ({ limits }) =>
              limits === null ? 'withdrawn' : limits.inForce ? 'yes' : 'expired',
          },
        ]}
      />
      <p className="soft">
        Who holds the key of an attester can attest that much and no more. Sales that are not
        settled yet are not counted here.
      </p>
    </Card>
  );
}
