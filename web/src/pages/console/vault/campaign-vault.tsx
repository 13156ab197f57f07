import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { countOf } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import { sectionPath } from '../paths.ts';
import { Ledgers } from './ledgers.tsx';
import { Movements } from './movements.tsx';
import styles from './vault.module.css';

type Vault = DataOf<Client['vault']['get']>;

/** Ledgers of one campaign, with the transactions that finalize, claim and withdraw. */
export function CampaignVault({ campaignId }: { readonly campaignId: string }) {
  const { api, key } = useActing();
  const query = useApi([...key, 'vault.get'], api.vault.get, { campaignId });
  return (
    <>
      <p>
        <Link href={sectionPath('vault')}>All campaigns</Link>
      </p>
      <Answered query={query} what={`Campaign ${campaignId}`}>
        {({ data, meta }) => (
          <>
            <Card title={`Campaign ${campaignId}`} aside={<AsOf meta={meta} />}>
              {data.byToken.map((ledgers) => (
                <Ledgers key={ledgers.token.address} ledgers={ledgers} />
              ))}
              <p>
                <Link href={pathOf('campaign', { campaignId })}>Public page of the campaign</Link>
              </p>
            </Card>
            <Card title="Claim and withdraw">
              <ForRole needs="admin">
                <Actions vault={data} />
              </ForRole>
            </Card>
          </>
        )}
      </Answered>
      <Movements campaignId={campaignId} />
    </>
  );
}

function Actions({ vault: { actions, byToken } }: { readonly vault: Vault }) {
  const [ledgers] = byToken;
  if (actions === null || ledgers === undefined) return <p>Nothing can be claimed.</p>;
  const { finalize, finalizeSaleIds, claimProceeds, withdrawSurplus } = actions;
  const { token, proceedsLedger, proceedsReady, rewardLedger } = ledgers;
  return (
    <div className={styles.actions}>
      <div>
        <h3>Proceeds</h3>
        {claimProceeds ? (
          <MerchantTransactions transactions={[claimProceeds]} name="Claim the proceeds" />
        ) : (
          <p>
            Nothing can be claimed now.{' '}
            {proceedsLedger.proceedsPending !== '0' && (
              <>
                <Amount value={proceedsLedger.proceedsPending} token={token} /> become claimable as
                their sales are finalized.
              </>
            )}
          </p>
        )}
      </div>
      {finalize && (
        <div>
          <h3>Sales whose hold is over</h3>
          <p>
            Finalizing {countOf(finalizeSaleIds.length, 'sale')} makes{' '}
            {finalizeSaleIds.length === 1 ? 'its' : 'their'} proceeds and rewards claimable. In all,{' '}
            <Amount value={proceedsReady} token={token} /> wait for it.
          </p>
          <MerchantTransactions transactions={[finalize]} name="Finalize" />
        </div>
      )}
      <div>
        <h3>Surplus</h3>
        {withdrawSurplus ? (
          <MerchantTransactions transactions={[withdrawSurplus]} name="Withdraw the surplus" />
        ) : (
          <p>
            {rewardLedger.available === '0'
              ? 'The vault has no free money.'
              : 'What is free in the vault can be withdrawn once the campaign has ended.'}
          </p>
        )}
      </div>
    </div>
  );
}
