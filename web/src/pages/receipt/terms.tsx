import { Amount } from '../../components/amount.tsx';
import { Card } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { Hash } from '../../components/hash.tsx';
import { Time } from '../../components/time.tsx';
import { duration, percent } from '../../format.ts';
import { word } from '../../word.ts';
import type { Receipt } from './arithmetic.ts';

const NO_CAP = (2n ** 256n - 1n).toString();

/** The policy that the sale was made under, and the keys that it is found by. */
export function TermsOfSale({ receipt }: { readonly receipt: Receipt }) {
  const { policy, token } = receipt;
  const cap = (value: string) =>
    value === NO_CAP ? word('none') : <Amount value={value} token={token} />;
  return (
    <Card title={`Policy, version ${policy.version}`}>
      <Facts
        facts={[
          ['In effect from', <Time key="from" at={policy.effectiveAt} />],
          ['Expiry', <Time key="to" at={policy.expiry} />],
          ['Reward', `${percent(policy.commissionBps)} of the price`],
          ['Levels', policy.weightsBps.map((weight) => percent(weight)).join(' · ')],
          ['Short paths', shortPaths[policy.shortPathMode]],
          ['Cap of a sale', cap(policy.perSaleCap)],
          ['Cap of the campaign', cap(policy.campaignLiabilityCap)],
          ['Hold', duration(policy.holdSeconds)],
          ['Self-referral', policy.excludesSelfReferral ? 'excluded' : 'allowed'],
          ['Regions', policy.regions.join(', ')],
          ['Sharing rules', policy.sharingRules.join(', ')],
          ['Policy hash', <Hash key="ph" value={policy.policyHash} label="policy hash" />],
          ['SKU hash', <Hash key="sku" value={receipt.skuHash} label="SKU hash" />],
          ['Order key', <Hash key="order" value={receipt.orderKey} label="order key" />],
          [
            'Contract',
            <Hash key="contract" value={receipt.contractAddress} label="contract address" />,
          ],
          ['Token', <Hash key="token" value={token.address} label="token address" />],
        ]}
      />
    </Card>
  );
}

const shortPaths = {
  RENORMALIZE_EXISTING: 'the existing levels share the full reward',
  RETURN_UNUSED: 'the share of missing levels stays in the vault',
} as const;
