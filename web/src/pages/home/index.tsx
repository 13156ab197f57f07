import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { demo } from '../../demo/demo.ts';
import { useTitle } from '../../title.ts';
import styles from './home.module.css';
import { NewestReceipt } from './newest-receipt.tsx';
import { RecentReceipts } from './recent.tsx';
import { TopCampaigns } from './top-campaigns.tsx';
import { Totals } from './totals.tsx';

/** Loaded on a local chain alone. */
const TryAs = lazy(async () => ({ default: (await import('../../demo/try-as.tsx')).TryAs }));

const doors = [
  [
    pathOf('products'),
    'Buy',
    'Find something good through people who know it. A refund is possible while the money is held.',
    'Go to the shop',
  ],
  [
    pathOf('join'),
    'Earn',
    'Share a link to a product that you like. You are paid for each sale, up to five links deep.',
    'Find a campaign',
  ],
  [
    pathOf('console'),
    'Sell',
    'Let others sell for you. You set the reward, and pay it only when something was sold.',
    'Publish a product',
  ],
] as const;

/** The purpose of the site, a way in for everybody, and a real receipt; totals and lists come after it. */
export function HomePage() {
  useTitle('');
  return (
    <>
      <div className={styles.hero}>
        <header className={styles.head}>
          <h1>Pay the people who sell for you. Prove every cent.</h1>
          <p>
            Merchants promise a reward, people share links, and each sale pays everybody on its
            path. Its receipt can be checked by anyone, without trusting us.
          </p>
        </header>
        <NewestReceipt />
        <nav aria-label="Begin" className={styles.doors}>
          {doors.map(([href, name, text, action]) => (
            <Link key={name} href={href} className={styles.door}>
              <h2>{name}</h2>
              <p>{text}</p>
              <span className={styles.action}>{action} →</span>
            </Link>
          ))}
        </nav>
      </div>
      {demo() !== undefined && (
        <div className={styles.demo}>
          <Suspense>
            <TryAs />
          </Suspense>
        </div>
      )}
      <Totals />
      <div className={styles.lists}>
        <RecentReceipts />
        <TopCampaigns />
      </div>
    </>
  );
}
