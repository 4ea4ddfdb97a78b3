const MARGIN_MM = 4;
const MM_PER_PIXEL = 25.4 / 96;

// The paper is as long as the order: CSS has no page height that depends on the content.
const { height } = document.querySelector('main').getBoundingClientRect();
const lengthMm = Math.ceil(height * MM_PER_PIXEL) + 2 * MARGIN_MM + 1;
const [sheet] = document.styleSheets;
sheet.insertRule(`@page { size: 80mm ${lengthMm}mm; margin: ${MARGIN_MM}mm; }`, sheet.cssRules.length);

document.querySelector('#print').addEventListener('click', () => print());
