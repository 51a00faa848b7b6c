/** What a customer pays, in cents. */
export function price(net, rate) {
  return net + net * rate;
}
