import { Issue } from '../components/issue.tsx';
import { demo } from '../demo/demo.ts';
import { useEnter } from '../demo/use-enter.ts';
import { words } from '../format.ts';
import styles from './menus.module.css';

/** On a local chain: an entry for each role of the demo. */
export function TryRoles() {
  const people = demo()?.people ?? [];
  const enter = useEnter();
  if (people.length === 0) return null;
  return (
    <>
      <h2>Try with test money</h2>
      {people.map((person) => (
        <button
          key={person.role}
          type="button"
          className={styles.entry}
          disabled={enter.isPending}
          onClick={() => enter.mutate(person)}
        >
          {enter.isPending && enter.variables.role === person.role
            ? 'One moment…'
            : `Try as ${words(person.role)}`}
        </button>
      ))}
      <Issue small of={enter.error} />
    </>
  );
}
