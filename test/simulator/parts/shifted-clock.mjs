// Preloaded into a process whose clock is to be off: its `Date` is CLOCK_SHIFT_MS milliseconds
// ahead of the machine's. Plain JavaScript, so that it needs no loader.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
