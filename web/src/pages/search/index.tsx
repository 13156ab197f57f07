import { useEffect } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { LagNotice } from '../../components/behind.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { countOf } from '../../format.ts';
import { hasOnlySimilar } from '../../search/hits.ts';
import { isMistypedCode, isShortHex } from '../../search/query.ts';
import { useSearch } from '../../search/use-search.ts';
import styles from './search.module.css';

/** Results of each kind. */
const SHOWN = 20;
const MAX_CHARACTERS = 200;

/** All that a text finds. A single result opens its page. */
export function SearchPage() {
  const [params] = useSearchParams();
  const text = (params.get('q') ?? '').trim().slice(0, MAX_CHARACTERS);
  return (
    <>
      <PageHead title={text === '' ? 'Search' : `Search: ${text}`} />
      {text === '' ? <Help /> : <Results key={text} text={text} />}
    </>
  );
}

function Results({ text }: { readonly text: string }) {
  const [, navigate] = useLocation();
  const { data: groups, error, refetch } = useSearch(text, SHOWN);
  const hits = groups?.flatMap(({ items }) => items);
  const only = hits?.length === 1 && !hits[0]?.isSimilar ? hits[0] : undefined;
  useEffect(() => {
    if (only) navigate(only.href, { replace: true });
  }, [only, navigate]);
  if (error) return <Failure error={error} what="The search" onRetry={() => void refetch()} />;
  if (groups === undefined || hits === undefined || only) return <Loading what="results" />;
  if (hits.length === 0) return <Nothing text={text} />;
  return (
    <Cards>
      <p role="status">
        {hasOnlySimilar(groups) ? (
          <>
            Nothing is named <strong>{text}</strong>. Similar names:
          </>
        ) : (
          countOf(hits.length, 'match', 'matches')
        )}
      </p>
      {groups.map(({ name, items }) => (
        <Card key={name} title={name}>
          <ul className={styles.results}>
            {items.map(({ href, title, detail }) => (
              <li key={href}>
                <Link href={href}>{title}</Link>
                <span className="soft">{detail}</span>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </Cards>
  );
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <div className={styles.nothing}>
      <p role="status">
        Nothing found for <strong>{text}</strong>.
      </p>
      {isShortHex(text) && <p>Type at least 4 digits of an address or hash after 0x.</p>}
      {isMistypedCode(text) && (
        <p>
          If this is a referral code, it was mistyped: its check characters are wrong. Compare each
          character with the original.
        </p>
      )}
      <LagNotice />
      <Help />
    </div>
  );
}

/** Examples of texts to search for. */
function Help() {
  return (
    <div className={styles.help}>
      <p>You can search for:</p>
      <ul>
        <li>a product, merchant or distributor by name, or words of a description</li>
        <li>
          a distributor’s handle: <code>@north-wind</code>
        </li>
        <li>
          the number of a sale, campaign, link or block: <code>#578</code>, <code>campaign 7</code>,{' '}
          <code>block 122</code>
        </li>
        <li>a referral code</li>
        <li>
          an address, or the hash of a transaction or order; the beginning is enough:{' '}
          <code>0x3a23</code>
        </li>
        <li>the hash of terms or metadata</li>
      </ul>
      <p>
        Or look through <Link href={pathOf('campaigns')}>all campaigns</Link> and{' '}
        <Link href={pathOf('sales')}>all sales</Link>.
      </p>
    </div>
  );
}
