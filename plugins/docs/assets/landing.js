/** Searches the endpoints of the landing page, and folds the categories on small screens. */
const search = document.getElementById('search')
const result = document.getElementById('search-result')
const categories = [...document.querySelectorAll('details')].map(details => ({
  details,
  section: details.parentElement,
  items: [...details.querySelectorAll('li')].map(item => ({ item, text: item.textContent.toLowerCase() })),
}))
const small = matchMedia('(max-width: 45rem)')

const unfold = () => {
  for (const { details } of categories) details.open = !small.matches
}
const show = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const { details, section, items } of categories) {
    let shown = 0
    for (const { item, text } of items) {
      item.hidden = !words.every(word => text.includes(word))
      if (!item.hidden) shown++
    }
    section.hidden = shown === 0
    if (words.length > 0) details.open = true
    count += shown
  }
  if (words.length === 0) unfold()
  result.textContent = words.length === 0 ? '' : count === 1 ? '1 endpoint' : `${count} endpoints`
}

unfold()
small.addEventListener('change', unfold)
search.addEventListener('input', show)
// A link to a category opens it.
const openTarget = () => {
  const heading = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  const details = heading?.closest('details')
  if (!details) return
  details.open = true
  heading.scrollIntoView()
}
addEventListener('hashchange', openTarget)
openTarget()
document.getElementById('search-bar').hidden = false
