//! Graphs of modules: their edges, layers and cycles.

use crate::resolve;
use crate::scope::Crate;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A directed graph. Each edge keeps one place, `file:line`, that causes it.
pub struct Graph {
    pub title: String,
    pub nodes: BTreeSet<String>,
    pub edges: BTreeMap<String, BTreeMap<String, String>>,
}

/// The graph of all files of a crate.
pub fn between_files(source: &Crate) -> Graph {
    let files = (0..source.modules.len()).filter(|&module| source.file_module(module) == module);
    let nodes = files.map(|module| source.name(module)).collect();
    let mut graph = Graph { title: "files".to_owned(), nodes, edges: BTreeMap::new() };
    for Use { user, used, place } in uses(source) {
        graph.insert(source.name(user), source.name(used), place);
    }
    graph
}

/// One graph per module with children. Its nodes are the children, each with everything inside it.
pub fn between_siblings(source: &Crate) -> Vec<Graph> {
    let mut graphs: BTreeMap<usize, Graph> = BTreeMap::new();
    for (number, module) in source.modules.iter().enumerate() {
        if let Some(parent) = module.parent.filter(|_| source.file_module(number) == number) {
            let empty = || Graph {
                title: format!("children of {}", source.name(parent)),
                nodes: BTreeSet::new(),
                edges: BTreeMap::new(),
            };
            graphs.entry(parent).or_insert_with(empty).nodes.insert(source.name(number));
        }
    }
    for Use { user, used, place } in uses(source) {
        let [user, used] = [user, used].map(|module| &source.modules[module].path);
        let common = user.iter().zip(used).take_while(|(a, b)| a == b).count();
        // Files of which one lies inside the other are not siblings on any level.
        if common == user.len() || common == used.len() {
            continue;
        }
        let parent = source.modules.iter().position(|module| module.path == user[..common]).unwrap_or(0);
        if let Some(graph) = graphs.get_mut(&parent) {
            graph.insert(user[..=common].join("::"), used[..=common].join("::"), place);
        }
    }
    graphs.into_values().collect()
}

/// One file's use of another.
struct Use {
    user: usize,
    used: usize,
    place: String,
}

fn uses(source: &Crate) -> Vec<Use> {
    let mut uses = Vec::new();
    for (number, module) in source.modules.iter().enumerate() {
        let user = source.file_module(number);
        for reference in &module.references {
            let place = format!("{}:{}: {}", module.file, reference.line, reference.path.join("::"));
            let used = resolve::definitions(source, number, &reference.path);
            let others = used.into_iter().map(|used| source.file_module(used)).filter(|&used| used != user);
            uses.extend(others.map(|used| Use { user, used, place: place.clone() }));
        }
    }
    uses
}

impl Graph {
    fn insert(&mut self, user: String, used: String, place: String) {
        self.edges.entry(user).or_default().entry(used).or_insert(place);
    }

    fn used_by(&self, node: &str) -> impl Iterator<Item = &String> {
        self.edges.get(node).into_iter().flat_map(BTreeMap::keys)
    }

    /// One line per node, `node -> the nodes it uses`, those that use nothing first.
    pub fn arrows(&self) -> String {
        let heights = self.heights();
        let mut nodes: Vec<&String> = self.nodes.iter().collect();
        nodes.sort_by_key(|node| heights[node]);
        let width = self.nodes.iter().map(String::len).max().unwrap_or(0);
        let mut text = String::new();
        for node in nodes {
            let used: Vec<&str> = self.used_by(node).map(String::as_str).collect();
            let line =
                if used.is_empty() { node.clone() } else { format!("{node:width$} -> {}", used.join(", ")) };
            text += &format!("  {line}\n");
        }
        text
    }

    /// The length of the longest way down from each node. Without cycles it is shorter than the number of
    /// nodes, which bounds the number of rounds; with one, heights are merely large.
    fn heights(&self) -> BTreeMap<&String, usize> {
        let mut heights: BTreeMap<&String, usize> = self.nodes.iter().map(|node| (node, 0)).collect();
        for _ in &self.nodes {
            for node in &self.nodes {
                let height = self.used_by(node).map(|used| heights[used] + 1).max().unwrap_or(0);
                heights.insert(node, height);
            }
        }
        heights
    }

    /// Describes one shortest cycle for each group of nodes that reach one another.
    pub fn cycles(&self) -> Vec<String> {
        self.tangles().iter().map(|tangle| self.describe(tangle)).collect()
    }

    /// Groups of more than one node that all reach one another.
    fn tangles(&self) -> Vec<BTreeSet<&String>> {
        let reach: BTreeMap<&String, BTreeSet<&String>> =
            self.nodes.iter().map(|node| (node, self.reachable(node))).collect();
        let mut tangles = BTreeSet::new();
        for (node, reached) in &reach {
            let tangle: BTreeSet<&String> =
                reached.iter().copied().filter(|other| reach[other].contains(node)).collect();
            tangles.extend((tangle.len() > 1).then_some(tangle));
        }
        tangles.into_iter().collect()
    }

    fn reachable(&self, start: &str) -> BTreeSet<&String> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&String> = self.used_by(start).collect();
        while let Some(node) = waiting.pop() {
            if reached.insert(node) {
                waiting.extend(self.used_by(node));
            }
        }
        reached
    }

    fn describe(&self, tangle: &BTreeSet<&String>) -> String {
        let cycle =
            tangle.iter().filter_map(|start| self.shortest(start)).min_by_key(Vec::len).unwrap_or_default();
        let next = cycle.iter().cycle().skip(1);
        let edges = cycle.iter().zip(next).map(|(user, used)| {
            let place = &self.edges[user.as_str()][used.as_str()];
            format!("    {user} -> {used}  ({place})\n")
        });
        let names: Vec<&str> = tangle.iter().map(|name| name.as_str()).collect();
        format!(
            "cycle among {} ({}), the shortest:\n{}",
            self.title,
            names.join(", "),
            edges.collect::<String>()
        )
    }

    /// A shortest way from `start` back to itself, by breadth-first search.
    fn shortest<'a>(&'a self, start: &'a String) -> Option<Vec<&'a String>> {
        let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for next in self.used_by(node) {
                if next == start {
                    let mut way = vec![node];
                    while let Some(before) =
                        came_from.get(way[way.len() - 1]).filter(|_| way[way.len() - 1] != start)
                    {
                        way.push(before);
                    }
                    way.reverse();
                    return Some(way);
                }
                if !came_from.contains_key(next) {
                    came_from.insert(next, node);
                    waiting.push_back(next);
                }
            }
        }
        None
    }
}
