// Runs before the first paint, so that a reader's choice of theme never flashes the other one.
(() => {
  try {
    const theme = localStorage.getItem('tributary.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme holds.
  }
})();
