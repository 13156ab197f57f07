import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { LagNotice } from '../../components/behind.tsx';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { countOf } from '../../format.ts';
import { useStatus } from '../../status.ts';
import { search } from './lookups.ts';
import styles from './search.module.css';

/** Search results: a single one opens its page, several are listed. */
export function Found({ query }: { readonly query: string }) {
  const [, navigate] = useLocation();
  const status = useStatus();
  const chainId = status.data?.data.deployment.chainId;
  const {
    data: hits,
    error,
    refetch,
  } = useQuery({
    queryKey: ['search', query, chainId],
    queryFn: ({ signal }) => search(query, chainId ?? 0, { signal }),
    enabled: chainId !== undefined,
  });
  const only = hits?.length === 1 ? hits[0] : undefined;
  useEffect(() => {
    if (only) navigate(only.href, { replace: true });
  }, [only, navigate]);
  const failure = error ?? (chainId === undefined ? status.error : null);
  if (failure) {
    const again = () => void (chainId === undefined ? status.refetch() : refetch());
    return <Failure error={failure} what="The search" onRetry={again} />;
  }
  if (hits === undefined || only) return <Loading what="search results" />;
  if (hits.length === 0) return <Nothing query={query} />;
  return (
    <div className={styles.outcome}>
      <p role="status">{countOf(hits.length, 'thing')} by that name. Which one?</p>
      <ul className={styles.results}>
        {hits.map(({ href, title, detail }) => (
          <li key={href}>
            <Link href={href}>{title}</Link>
            <p>{detail}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Nothing({ query }: { readonly query: string }) {
  const hash = /^0x[0-9a-f]{64}$/i.test(query);
  return (
    <div className={styles.outcome} role="status">
      <p>
        Nothing is found for <strong>{query.slice(0, 100)}</strong>.{' '}
        {hash && 'Hashes are not searched: a sale is found by its number.'}
      </p>
      <LagNotice />
    </div>
  );
}
