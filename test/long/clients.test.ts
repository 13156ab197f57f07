import { anvilCelo, anvilOptimism, edrEthereum, edrOp } from '../clients/clients.ts';
import { describeMainJob } from '../clients/main-job.ts';

const bundled = ['fiveLevel', 'partlyRefunded', 'claimed', 'reversedLater', 'secondOfBlock'];

describeMainJob(edrOp, { startsWhole: true });
describeMainJob(edrEthereum, { bundled });
describeMainJob(anvilOptimism, { bundled, startsWhole: true });
describeMainJob(anvilCelo, { bundled });
