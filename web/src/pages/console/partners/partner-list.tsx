import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Field } from '../../../components/field.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import { groupDigits, shortHex } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { CampaignSelect } from '../own-campaigns.tsx';
import { invitePath, partnerPath } from '../paths.ts';

type Partners = DataOf<Client['partners']['list']>;
type Partner = Partners['items'][number];

const count = (value: number): string => groupDigits(String(value));

/** Distributors with a link in the merchant's campaigns, and their totals. */
export function PartnerList() {
  const { api, key } = useActing();
  const [campaignId, setCampaign] = useState('');
  const [q, setQ] = useState('');
  const [status, setStatus] = useState('');
  const [sort, setSort] = useState('sales');
  const filter = {
    sort,
    ...(campaignId && { campaignId }),
    ...(q && { q }),
    ...(status && { status }),
  };
  const pages = usePages([...key, 'partners.list', filter], (page, options) =>
    api.partners.list({ ...filter, ...page, limit: 25 }, options),
  );
  const token = pages.meta?.token;
  const totals = useApi([...key, 'partners.list', filter, 'summary'], (options) =>
    api.partners.list({ ...filter, limit: 1 }, options),
  );
  const summary = totals.data?.data.summary;
  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setQ(String(new FormData(event.currentTarget).get('q')).trim());
  }
  return (
    <>
      <Card title="Find partners" aside={<Link href={invitePath()}>Invite a partner</Link>}>
        <form className={styles.stack} onSubmit={search}>
          <div className={styles.fields}>
            <Field id="q" name="q" label="Handle, name or address" defaultValue={q} />
            <CampaignSelect id="campaign" value={campaignId} onChange={setCampaign} all="All" />
            <SelectField
              id="status"
              label="Show"
              value={status}
              onChange={({ target }) => setStatus(target.value)}
            >
              <option value="">All</option>
              <option value="active">With completed sales</option>
              <option value="inactive">Without</option>
            </SelectField>
            <SelectField
              id="sort"
              label="Order"
              value={sort}
              onChange={({ target }) => setSort(target.value)}
            >
              <option value="sales">Most sales</option>
              <option value="value">Largest value</option>
              <option value="rewards">Largest rewards</option>
              <option value="newest">Newest</option>
            </SelectField>
          </div>
          <div className={styles.row}>
            <Button type="submit">Find</Button>
          </div>
        </form>
      </Card>
      <Card title="Partners" aside={<AsOf meta={pages.meta} />}>
        <div className={styles.stack}>
          {summary && token && (
            <Facts
              facts={[
                ['Partners', count(summary.partners)],
                ['Completed sales', count(summary.sales.finalized)],
                ['Sales on hold', count(summary.sales.pending)],
                [
                  'Value of completed sales',
                  <Amount key="value" value={summary.value} token={token} />,
                ],
              ]}
            />
          )}
          <PagedTable
            caption="Partners"
            pages={pages}
            empty="No partners match. Invite distributors, or share the page of a campaign with them."
            rowKey={(partner) => partner.address ?? partner.pseudonym ?? partner.firstLinkAt}
            columns={[
              { name: 'Partner', cell: (partner) => <Name partner={partner} /> },
              { name: 'Links', numeric: true, cell: ({ linkCount }) => count(linkCount) },
              { name: 'Direct sales', numeric: true, cell: (one) => count(one.directSales) },
              { name: 'Sales below', numeric: true, cell: (one) => count(one.networkSales) },
              {
                name: 'Value',
                numeric: true,
                cell: ({ settledValue }) => token && <Amount value={settledValue} token={token} />,
              },
              {
                name: 'Rewards paid or claimable',
                numeric: true,
                cell: ({ rewards }) =>
                  token && (
                    <Amount
                      value={BigInt(rewards.claimable) + BigInt(rewards.claimed)}
                      token={token}
                    />
                  ),
              },
              { name: 'Since', cell: ({ firstLinkAt }) => <Time at={firstLinkAt} /> },
            ]}
          />
        </div>
      </Card>
    </>
  );
}

/** Name of a partner; its address if it has no public one, and a pseudonym if it hides both. */
function Name({ partner }: { readonly partner: Partner }) {
  const { address, handle, displayName, pseudonym } = partner;
  const name = displayName ?? handle;
  if (address === null) {
    return (
      <span title="Hides its address and name. Only you see it under this pseudonym.">
        Pseudonym {pseudonym}
      </span>
    );
  }
  return (
    <>
      <Link href={partnerPath(address)}>{name ?? shortHex(address)}</Link>{' '}
      <CopyButton text={address} label="address" />
    </>
  );
}
