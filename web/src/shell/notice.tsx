import { LagNotice } from '../components/behind.tsx';
import { groupDigits } from '../format.ts';
import { useOnline } from '../online.ts';
import { useStatus } from '../status.ts';
import styles from './notice.module.css';

/** A line under the menu: the network is off, or the service needs attention. Else nothing. */
export function Notice() {
  const online = useOnline();
  const status = useStatus().data?.data;
  const alarms = status?.status === 'attention' ? status.alarms : [];
  return (
    <div className={styles.notice} role="status">
      {!online && (
        <p>
          You are offline: what is shown was read before. <a href="/bundle">A bundle</a> can be
          checked all the same.
        </p>
      )}
      {status?.status === 'starting' && <p>The service is starting. Some data is still missing.</p>}
      {alarms.map((alarm) => (
        <p key={alarm}>{alarm}</p>
      ))}
      {alarms.length > 0 && status?.settled && (
        <p>All numbers are as of block {groupDigits(status.settled.number)}.</p>
      )}
      <LagNotice />
    </div>
  );
}
