// Runs before the first paint, and before the code of the pages has arrived.
(() => {
  // A reader's choice of theme never flashes the other one.
  try {
    const theme = localStorage.getItem('tributary.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme holds.
  }
  // The read that a page begins with is sent now: `web/src/early-read.ts` takes its response.
  const receipt = /^\/receipts\/[1-9][0-9]{0,15}\/[1-9][0-9]{0,77}$/.exec(location.pathname);
  if (receipt === null) {
    const font = document.getElementById('display-font')?.cloneNode();
    font?.removeAttribute('media');
    if (font) document.head.append(font);
    return;
  }
  const url = `${location.origin}/v1${receipt[0]}`;
  const response = fetch(url, { headers: { accept: 'application/json' } });
  response.catch(() => {});
  window.earlyRead = { url, response };
})();
