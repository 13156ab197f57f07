/** The module that the project imports as `ponder:registry`: Ponder reads the functions from it. */
export const ponder = {
  fns: [],
  on(name, fn) {
    this.fns.push({ name, fn });
  },
};
