import type { DemoPerson, DemoRole } from '../../../engine/contract/demo.ts';
import { Button } from '../components/button.tsx';
import { Issue } from '../components/issue.tsx';
import { words } from '../format.ts';
import styles from './demo.module.css';
import { demo } from './demo.ts';
import { Face } from './face.tsx';
import { useEnter } from './use-enter.ts';

/** Things to try in each role, as a sentence. */
const tries: Readonly<Record<DemoRole, string>> = {
  merchant: 'Answer a refund request, look at orders, publish a campaign.',
  partner: 'Claim what your links earned, and join another campaign.',
  buyer: 'Buy through a link, and ask for your money back.',
};

interface TryAsProps {
  /** Role that fits the page: it comes first. */
  readonly first?: DemoRole;
}

/**
 * Ways to use the site without a wallet: as a merchant, a partner or a buyer of the sample, with test money. Nothing
 * unless the service runs on its own local chain.
 */
export function TryAs({ first }: TryAsProps) {
  const people = demo()?.people;
  const enter = useEnter();
  if (people === undefined) return null;
  const sorted = [...people].sort((a, b) => Number(b.role === first) - Number(a.role === first));
  return (
    <section className={styles.tryAs} aria-label="Try it without a wallet">
      <p>
        <strong>Try it without a wallet.</strong> This chain runs on your machine, and its money is
        not real. Choose a role:
      </p>
      <ul className={styles.roles}>
        {sorted.map((person) => (
          <li key={person.role} className={styles.role}>
            <Choice person={person} enter={enter} isFirst={person.role === first} />
          </li>
        ))}
      </ul>
      <Issue of={enter.error} />
    </section>
  );
}

interface ChoiceProps {
  readonly person: DemoPerson;
  readonly enter: ReturnType<typeof useEnter>;
  readonly isFirst: boolean;
}

function Choice({ person, enter, isFirst }: ChoiceProps) {
  const { role, name } = person;
  const isEntering = enter.isPending && enter.variables.role === role;
  return (
    <>
      <div className={styles.person}>
        <Face of={role} />
        <span className={styles.name}>{name}</span>
      </div>
      <p className="soft">{tries[role]}</p>
      <Button main={isFirst} disabled={enter.isPending} onClick={() => enter.mutate(person)}>
        {isEntering ? 'One moment…' : `Try as ${words(role)}`}
      </Button>
    </>
  );
}
