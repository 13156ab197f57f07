import { Panel } from '../../../components/panel.tsx';
import { useActing, useMay } from '../acting.tsx';
import { OrderReport } from './order-report.tsx';
import { ReportList } from './report-list.tsx';

/** Report files: order one, follow it, download it. */
export default function ReportsSection() {
  const { role } = useActing();
  if (!useMay('analyst')) {
    return (
      <Panel title="Reports need the role analyst">
        <p>Your role is {role}. An admin or the owner of the merchant can give you another one.</p>
      </Panel>
    );
  }
  return (
    <>
      <OrderReport />
      <ReportList />
    </>
  );
}
