export const PAGE = '';
