import { Link } from 'wouter';
import { useApi } from '../../../api.ts';
import { Badge } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import { useActing, useMay } from '../acting.tsx';
import styles from '../console.module.css';
import { useOwnCampaigns } from '../own-campaigns.tsx';
import { sectionPath } from '../paths.ts';
import { ProfileForm } from '../settings/profile-form.tsx';
import { useProfile } from '../use-profile.ts';

/** The first steps of a new merchant: profile, product, campaign. Nothing once all of them are done. */
export function Guide() {
  const { api, key } = useActing();
  const isOwner = useMay('owner');
  const profile = useProfile();
  const campaigns = useOwnCampaigns();
  const products = useApi([...key, 'products.list'], api.products.list, { limit: 1 });
  if (!profile.isSuccess || !campaigns.isSuccess || !products.isSuccess) return null;
  const done = {
    profile: profile.data !== null,
    product: products.data.data.items.length > 0,
    campaign: campaigns.data.data.items.some(({ kind }) => kind === 'campaign'),
  };
  if (done.profile && (done.campaign || profile.data?.closedAt !== null)) return null;
  const steps = [
    ['settings', 'Set up your profile', 'Your name and address, as buyers see them.', done.profile],
    ['products', 'Describe a product', 'What you sell, its price, and its delivery.', done.product],
    [
      'campaigns',
      'Create a campaign',
      'The rules of its rewards, and a deposit that pays them.',
      done.campaign,
    ],
  ] as const;
  return (
    <Card title="Begin to sell">
      <ol className={styles.list}>
        {steps.map(([section, title, text, isDone]) => (
          <li key={section}>
            <Link href={sectionPath(section)}>{title}</Link>{' '}
            <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? 'done' : 'to do'}</Badge>
            <br />
            <span className="soft">{text}</span>
          </li>
        ))}
      </ol>
      {!done.profile && isOwner && (
        <div className={styles.inset}>
          <h3>Your profile</h3>
          <ProfileForm />
        </div>
      )}
    </Card>
  );
}
