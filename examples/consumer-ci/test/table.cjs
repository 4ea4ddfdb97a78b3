const { mkdtemp, readdir, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * A table of orders in real files: input and output of the app's own.
 *
 * The clock waits for the client's exchanges by itself. Of anything else it
 * knows nothing, so `hold()` tells it that work is under way.
 */
exports.openTable = async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  const fileOf = (orderId) => join(folder, encodeURIComponent(orderId));
  const held = async (work) => {
    const release = clock.hold();
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    save: (orderId, order) => held(() => writeFile(fileOf(orderId), JSON.stringify(order))),
    remove: (orderId) => held(() => rm(fileOf(orderId), { force: true })),
    orderIds: async () => (await readdir(folder)).map(decodeURIComponent).sort(),
    drop: () => rm(folder, { recursive: true }),
  };
};
