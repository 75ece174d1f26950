/** Filler text. */

const PARAGRAPHS: readonly string[] = [
  'Lorem ipsum dolor sit amet, consectetur adipiscing elit. Integer vitae ligula at nisi tempor porta, sed congue augue blandit. Praesent ac sapien id lectus malesuada tincidunt.',
  'Vestibulum gravida urna non massa feugiat, nec hendrerit quam aliquet. Donec sodales mi eget purus dictum, et viverra erat ornare. Nulla facilisi.',
  'Curabitur pretium justo a leo rhoncus, quis mattis nunc varius. Etiam eu lorem sit amet turpis volutpat interdum. Fusce id velit nec arcu posuere sagittis.',
  'Mauris in enim vel odio cursus laoreet. Aenean dapibus, tortor quis fermentum aliquam, nibh risus ultrices est, non pulvinar metus sem ut diam.',
  'Suspendisse potenti. Phasellus luctus neque ut orci venenatis, vitae egestas nulla scelerisque. Vivamus bibendum felis in dolor iaculis, a placerat magna efficitur.',
]

/** Returns `count` paragraphs, repeating the list. The first one starts with "Lorem ipsum". */
export function loremIpsum(count: number): string[] {
  return Array.from({ length: count }, (_, index) => PARAGRAPHS[index % PARAGRAPHS.length]!)
}
