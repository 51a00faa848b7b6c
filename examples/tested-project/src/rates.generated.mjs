export const rates = { books: 0.07, other: 0.19 };
