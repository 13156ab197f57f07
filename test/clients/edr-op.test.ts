import { edrOp } from './clients.ts';
import { describeMainJob } from './main-job.ts';

describeMainJob(edrOp, {
  bundled: ['fiveLevel', 'partlyRefunded', 'claimed', 'reversedLater', 'secondOfBlock'],
});
