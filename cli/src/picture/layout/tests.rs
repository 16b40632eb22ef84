use super::*;

/// Lays out boxes of one size but for every third, which is larger.
fn lay_out(nodes: usize, edges: &[(usize, usize)]) -> Layout {
    let large = |node: usize| node % 3 == 2;
    let widths: Vec<i32> = (0..nodes)
        .map(|node| if large(node) { 200 } else { 120 })
        .collect();
    let heights: Vec<i32> = (0..nodes).map(|node| if large(node) { 61 } else { 46 }).collect();
    layout(&Input {
        widths: &widths,
        heights: &heights,
        edges,
    })
}

/// What has to hold of any picture.
#[track_caller]
fn check(nodes: usize, edges: &[(usize, usize)]) -> Layout {
    let laid = lay_out(nodes, edges);
    assert_eq!(laid, lay_out(nodes, edges), "the same every time");
    assert_eq!((laid.nodes.len(), laid.routes.len()), (nodes, edges.len()));
    for (number, area) in laid.nodes.iter().enumerate() {
        assert!(
            area.x >= 0 && area.x + area.width <= laid.width,
            "{area:?} {laid:?}"
        );
        assert!(
            area.y >= 0 && area.y + area.height <= laid.height,
            "{area:?} {laid:?}"
        );
        for other in laid.nodes.iter().skip(number + 1) {
            let beside = area.x + area.width + 20 <= other.x || other.x + other.width + 20 <= area.x;
            let above = area.y + area.height + 20 <= other.y || other.y + other.height + 20 <= area.y;
            assert!(
                beside || above,
                "{area:?} and {other:?} are too near in {edges:?}"
            );
        }
    }
    for ((from, to), route) in edges.iter().zip(&laid.routes) {
        if from == to {
            assert!(route.is_empty());
            continue;
        }
        touches(laid.nodes[*from], route[0]);
        touches(laid.nodes[*to], route[route.len() - 1]);
        for pair in route.windows(2) {
            let (left, right) = (pair[0].x.min(pair[1].x), pair[0].x.max(pair[1].x));
            let (top, bottom) = (pair[0].y.min(pair[1].y), pair[0].y.max(pair[1].y));
            assert!(top >= 0 && bottom <= laid.height);
            for area in &laid.nodes {
                let beside = area.x + area.width <= left || right <= area.x;
                let above = area.y + area.height <= top || bottom <= area.y;
                assert!(beside || above, "{route:?} runs through {area:?} in {edges:?}");
            }
        }
    }
    laid
}

/// The end of a route is on one of the sides of its box.
#[track_caller]
fn touches(area: Area, point: Point) {
    assert!(
        point.x == area.x || point.x == area.x + area.width,
        "{point:?} {area:?}"
    );
    assert!(
        area.y <= point.y && point.y <= area.y + area.height,
        "{point:?} {area:?}"
    );
}

#[test]
fn nothing_is_a_picture_too() {
    check(0, &[]);
    check(1, &[]);
    check(1, &[(0, 0)]);
    check(7, &[]);
}

#[test]
fn arrows_lead_to_the_right_by_the_shortest_way() {
    let laid = check(4, &[(0, 1), (1, 2), (3, 2)]);
    let x: Vec<i32> = laid.nodes.iter().map(|area| area.x).collect();
    assert!(x[0] < x[1] && x[1] < x[2], "{x:?}");
    assert_eq!(x[3], x[1], "beside what it leads to");
}

#[test]
fn a_chain_is_a_straight_line() {
    let edges: Vec<(usize, usize)> = (0..9).map(|node| (node, node + 1)).collect();
    let laid = check(10, &edges);
    for route in &laid.routes {
        assert!(
            route.iter().all(|point| point.y == laid.routes[0][0].y),
            "{route:?}"
        );
    }
}

#[test]
fn a_fan_is_centred() {
    let edges: Vec<(usize, usize)> = (1..=41).map(|node| (node, 0)).collect();
    let laid = check(42, &edges);
    let middle = laid.nodes[0].y + laid.nodes[0].height / 2;
    assert!(
        (middle - laid.height / 2).abs() <= 10,
        "{middle} of {}",
        laid.height
    );
}

#[test]
fn cycles_and_repeated_edges_are_drawn_side_by_side() {
    let laid = check(2, &[(0, 1), (1, 0), (0, 1)]);
    let heights: std::collections::BTreeSet<i32> = laid.routes.iter().map(|route| route[0].y).collect();
    assert_eq!(heights.len(), 3, "{laid:?}");
    assert!(laid.routes[1][0].x > laid.routes[1][1].x, "it leads back");
    check(5, &[(0, 1), (1, 2), (2, 0), (2, 2), (3, 0), (2, 4), (4, 3)]);
    check(3, &[(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)]);
}

#[test]
fn trees_have_no_crossings() {
    let edges: Vec<(usize, usize)> = (1..40).map(|node| ((node - 1) / 3, node)).collect();
    let laid = check(40, &edges);
    for (number, route) in laid.routes.iter().enumerate() {
        for other in &laid.routes[number + 1..] {
            // Curves between the same two columns cross if their ends are in another order than their beginnings.
            let (from, to) = (route[0], route[route.len() - 1]);
            let (others_from, others_to) = (other[0], other[other.len() - 1]);
            if to.x == others_to.x && from.y != others_from.y {
                assert_eq!(from.y < others_from.y, to.y < others_to.y, "{route:?} {other:?}");
            }
        }
    }
}

#[test]
fn whatever_is_drawn_keeps_clear_of_the_rest() {
    let mut state = 7_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % bound as u64).unwrap()
    };
    for round in 0..300 {
        let nodes = 1 + below(24);
        let count = below(2 * nodes);
        let edges: Vec<(usize, usize)> = (0..count)
            .map(|_| (below(nodes), below(nodes)))
            // Half of them without cycles.
            .map(|(one, other)| {
                if round % 2 == 0 {
                    (one.max(other), one.min(other))
                } else {
                    (one, other)
                }
            })
            .collect();
        check(nodes, &edges);
    }
}

#[test]
fn too_many_bends_are_left_out() {
    // Each of 600 passes all those after it: 180,000 bends, of which a third is made.
    let nodes = 601;
    let mut edges: Vec<(usize, usize)> = (1..nodes).map(|node| (node, node - 1)).collect();
    edges.extend((2..nodes).map(|node| (node, 0)));
    let laid = lay_out(nodes, &edges);
    let bent = laid.routes.iter().filter(|route| route.len() > 3).count();
    assert!(bent > 200 && bent < 500, "{bent}");
    assert!(laid.routes.iter().all(|route| route.len() > 1));
}
