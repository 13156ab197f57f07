import { Card } from '../../components/card.tsx';
import { Explain } from '../../components/explain.tsx';
import type { CampaignLedgers } from '../../ledger/campaign-ledgers.ts';
import { addsUp, levelIdentities, rewardIdentity, salesIdentity } from '../../ledger/identities.ts';
import { Broken, IdentityBar } from '../../ledger/identity-bar.tsx';
import styles from './campaign.module.css';

/** Both ledgers, each as a picture that adds up, with the sums made in this browser. */
export function LedgersCard({ campaign, stats }: CampaignLedgers) {
  const { token, trustMode, rewardLedger, proceedsLedger } = campaign;
  const levels = levelIdentities(rewardLedger, stats);
  return (
    <Card title="Ledgers" id="ledgers">
      <div className={styles.ledgers}>
        <div>
          <h3>Rewards vault</h3>
          <IdentityBar identity={rewardIdentity(rewardLedger)} token={token} />
        </div>
        <div>
          <h3>
            <Explain term="proceeds">Proceeds of sales</Explain>
          </h3>
          {trustMode === 'NATIVE_ONCHAIN' ? (
            <IdentityBar identity={salesIdentity(proceedsLedger, stats, trustMode)} token={token} />
          ) : (
            <Attested campaign={campaign} stats={stats} />
          )}
        </div>
      </div>
      {levels.every(addsUp) ? (
        <p className="soft">Rewards of all sales, summed per account, match the vault.</p>
      ) : (
        levels
          .filter((identity) => !addsUp(identity))
          .map((identity) => <Broken key={identity.name} identity={identity} token={token} />)
      )}
    </Card>
  );
}

/** Sales that were paid elsewhere leave no proceeds with the contract. */
function Attested({ campaign, stats }: CampaignLedgers) {
  const identity = salesIdentity(campaign.proceedsLedger, stats, campaign.trustMode);
  return addsUp(identity) ? (
    <p className="soft">
      These sales were <Explain term="attested">paid elsewhere</Explain>. The contract holds no
      proceeds of them, and the ledger has none.
    </p>
  ) : (
    <Broken identity={identity} token={campaign.token} />
  );
}
