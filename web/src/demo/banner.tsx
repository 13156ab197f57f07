import { useSession } from '../account/session.ts';
import { useSignOut } from '../account/use-session.ts';
import { Button } from '../components/button.tsx';
import { Issue } from '../components/issue.tsx';
import { words } from '../format.ts';
import styles from './demo.module.css';
import { demo, personAt } from './demo.ts';
import { Face } from './face.tsx';
import { GetTestMoney } from './get-test-money.tsx';
import { useEnter } from './use-enter.ts';

/** Who the visitor is in the demo, with the other roles, test money, and the way out. */
export function Banner() {
  const session = useSession();
  const enter = useEnter();
  const signOut = useSignOut();
  const person = personAt(session.data?.address);
  if (person === undefined) return null;
  const isBusy = enter.isPending || signOut.isPending;
  const others = (demo()?.people ?? []).filter(({ role }) => role !== person.role);
  return (
    <aside className={styles.banner} aria-label="Demo">
      <div className={styles.bar}>
        <Face of={person.role} />
        <p className={styles.who}>
          <strong>Demo:</strong> you act as {person.name}, a {words(person.role)}, on a chain of
          this machine.
        </p>
        <div className="actions tight">
          <GetTestMoney key={person.address} address={person.address} />
          {others.map((other) => (
            <Button key={other.role} disabled={isBusy} onClick={() => enter.mutate(other)}>
              {enter.isPending && enter.variables.role === other.role
                ? 'One moment…'
                : `Be the ${words(other.role)}`}
            </Button>
          ))}
          <Button quiet disabled={isBusy} onClick={() => signOut.mutate()}>
            Leave
          </Button>
        </div>
        <Issue of={enter.error ?? signOut.error} small />
      </div>
    </aside>
  );
}
