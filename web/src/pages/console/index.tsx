import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { type PageParams, pathOf } from '../../../../engine/contract/pages.ts';
import type { Role } from '../../../../engine/contract/roles.ts';
import { MINE, type SignedIn } from '../../account/session.ts';
import { ForAccount } from '../../account/sign-in.tsx';
import { api, useApi } from '../../api.ts';
import { HeadSlot } from '../../components/head-action.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { SelectField } from '../../components/select-field.tsx';
import { TitleShown } from '../../components/title-shown.ts';
import { useEnabled } from '../../enabled.ts';
import { shortHex } from '../../format.ts';
import { storedValue, storeValue } from '../../storage.ts';
import { ActingFor } from './acting.tsx';
import styles from './console.module.css';
import { type Section, sections } from './sections.ts';

/** The first section of the console. */
export function ConsolePage() {
  return <ConsoleSectionPage section={sections[0].id} />;
}

/** Everything that a merchant does and reads, a section at a time. */
export function ConsoleSectionPage({ section: id }: PageParams<'consoleSection'>) {
  const section = sections.find((one) => one.id === id);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  return (
    <HeadSlot value={slot}>
      <PageHead
        title={section?.title ?? 'Merchant console'}
        kind="Merchant console"
        action={<div ref={setSlot} className="actions" />}
      />
      <ForAccount
        demo="merchant"
        why="Then you see your campaigns, orders and money, and what needs an answer."
      >
        {(session) => (
          <ForMerchant session={session}>
            <div className={styles.frame}>
              <Menu current={id} />
              <div className="stack">
                {section === undefined ? <NoSection id={id} /> : <Shown section={section} />}
              </div>
            </div>
          </ForMerchant>
        )}
      </ForAccount>
    </HeadSlot>
  );
}

function NoSection({ id }: { readonly id: string }) {
  return (
    <Panel title="There is no such section">
      <p>
        The console has no section “{id}”. Choose one of the menu, or go to the{' '}
        <Link href={pathOf('console')}>overview</Link>.
      </p>
    </Panel>
  );
}

function Shown({ section: { view: View, title } }: { readonly section: Section }) {
  return (
    <TitleShown value={title}>
      <Suspense fallback={<Loading what={title} />}>
        <View />
      </Suspense>
    </TitleShown>
  );
}

function Menu({ current }: { readonly current: string }) {
  return (
    <nav className={styles.menu} aria-label="Console">
      <ul>
        {sections.map((section) => (
          <Entry key={section.id} section={section} isCurrent={section.id === current} />
        ))}
      </ul>
    </nav>
  );
}

function Entry({ section, isCurrent }: { section: Section; isCurrent: boolean }) {
  const { id, title, needs, starts } = section;
  const enabled = useEnabled(needs ?? 'merchants.me');
  if (needs !== undefined && enabled !== true) return null;
  return (
    <li className={starts ? styles.starts : undefined}>
      <Link
        href={id === sections[0].id ? pathOf('console') : pathOf('consoleSection', { section: id })}
        className={styles.entry}
        aria-current={isCurrent ? 'page' : undefined}
        // On a phone the menu is wider than the screen.
        ref={isCurrent ? showEntry : null}
      >
        {title}
      </Link>
    </li>
  );
}

function showEntry(entry: HTMLElement | null): void {
  const menu = entry?.closest('nav');
  if (entry && menu) menu.scrollLeft = entry.offsetLeft - menu.offsetLeft;
}

/** Name under which the browser stores the merchant that the account last worked for. */
const CHOSEN = 'console.merchant';

interface ForMerchantProps {
  readonly session: SignedIn;
  readonly children: React.ReactNode;
}

/** Chooses the merchant: the account itself, or one whose team it is a member of. */
function ForMerchant({ session, children }: ForMerchantProps) {
  const hasTeams = useEnabled('team.mine');
  const teams = useApi(
    [MINE, 'team.mine'],
    api.team.mine,
    {},
    {
      enabled: hasTeams === true,
    },
  );
  const [chosen, choose] = useState(() => storedValue(CHOSEN));
  if (hasTeams === undefined || (hasTeams && teams.isPending)) {
    return <Loading what="your merchants" />;
  }
  const own = { merchant: session.address, name: 'My own account', role: 'owner' as Role };
  const others = (teams.data?.data ?? []).filter(({ merchant }) => merchant !== session.address);
  const current = others.find(({ merchant }) => merchant === chosen) ?? own;
  return (
    <ActingFor
      key={current.merchant}
      merchant={current.merchant}
      role={current.role}
      session={session}
    >
      {others.length > 0 && (
        <div className={styles.merchant}>
          <SelectField
            id="merchant"
            label="Merchant"
            value={current.merchant}
            onChange={({ target }) => {
              choose(target.value);
              storeValue(CHOSEN, target.value);
            }}
          >
            {[own, ...others].map(({ merchant, name, role }) => (
              <option key={merchant} value={merchant}>
                {name ?? shortHex(merchant)} ({role})
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {children}
    </ActingFor>
  );
}
