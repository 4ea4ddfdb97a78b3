const { mkdtemp, readdir, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * A table of orders in real files, as an example of the app's own I/O.
 *
 * The clock waits for the client's requests. It cannot see other I/O, so
 * `hold()` makes it wait for that, too.
 */
exports.openTable = async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  const fileOf = (orderId) => join(folder, encodeURIComponent(orderId));
  const holdingClock = async (work) => {
    const release = clock.hold();
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    save: (orderId, order) => holdingClock(() => writeFile(fileOf(orderId), JSON.stringify(order))),
    remove: (orderId) => holdingClock(() => rm(fileOf(orderId), { force: true })),
    orderIds: async () => (await readdir(folder)).map(decodeURIComponent).sort(),
    drop: () => rm(folder, { recursive: true }),
  };
};
