use super::*;
use formwork_blueprint::{Checker, Source};
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

/// Text that means something in every notation.
fn hostile() -> Picture {
    let node = |shape, name: &str, what: &str| Node {
        shape,
        id: line(name),
        name: line(name),
        what: line(what),
    };
    Picture {
        title: line("a \"b\" <c>\n& \\"),
        nodes: vec![
            node(Shape::Resource, "end", "aws/sqs/queue"),
            node(
                Shape::Resource,
                "a\"]); <b>&amp;",
                "#quot; 1. `x` **b** _c_ d_e $$f$$",
            ),
            node(Shape::DataSource, "über\u{0}\u{7}\t\r\n雪 🎉", "]]>--><script>\\"),
            node(Shape::Child, "a.b", "${workingDir}/core.yaml"),
            node(Shape::Child, "a-b", ""),
        ],
        edges: vec![
            edge(0, 1, false, false),
            edge(0, 2, true, false),
            edge(1, 3, false, true),
            edge(3, 1, true, true),
            edge(4, 4, false, false),
            edge(0, 99, false, false),
        ],
    }
}

fn edge(from: usize, to: usize, link: bool, cyclic: bool) -> Edge {
    Edge {
        from,
        to,
        link,
        cyclic,
    }
}

#[test]
fn mermaid_keeps_its_meaning() {
    let expected = r##"flowchart LR
    r_end("<b>end</b><br/><small>aws/sqs/queue</small>")
    r_a______b__amp_("<b>a#quot;]); #lt;b#gt;#amp;amp;</b><br/><small>#35;quot; 1. #96;x#96; #42;#42;b#42;#42; #95;c#95; d_e $#8288;$f$#8288;$</small>")
    d__ber________[("<b>über     雪 🎉</b><br/><small>]]#gt;--#gt;#lt;script#gt;#92;</small>")]
    c_a_b[["<b>a.b</b><br/><small>${workingDir}/core.yaml</small>"]]
    c_a_b_[["<b>a-b</b>"]]
    r_end --> r_a______b__amp_
    r_end -.-> d__ber________
    r_a______b__amp_ --> c_a_b
    c_a_b -.-> r_a______b__amp_
    c_a_b_ --> c_a_b_
    linkStyle 2,3 stroke:#d1242f,stroke-width:3px
"##;
    assert_eq!(mermaid(&hostile()), expected);
}

#[test]
fn dot_keeps_its_meaning() {
    let text = dot(&hostile());
    let expected = r##"digraph "a \"b\" <c> & \ " {
    rankdir=LR
    node [shape=box, style=rounded, fontname="Helvetica,Arial,sans-serif", fontsize=12]
    edge [color="#57606a", arrowsize=0.7]
    "end" [label=<<b>end</b><br/><font point-size="10">aws/sqs/queue</font>>]
    "a\"]); <b>&amp;" [label=<<b>a&quot;]); &lt;b&gt;&amp;amp;</b><br/><font point-size="10">#quot; 1. `x` **b** _c_ d_e $$f$$</font>>]
    "über     雪 🎉" [label=<<b>über     雪 🎉</b><br/><font point-size="10">]]&gt;--&gt;&lt;script&gt;\</font>>, shape=cylinder, style=solid]
    "a.b" [label=<<b>a.b</b><br/><font point-size="10">${workingDir}/core.yaml</font>>, shape=component, style=solid]
    "a-b" [label=<<b>a-b</b>>, shape=component, style=solid]
    "end" -> "a\"]); <b>&amp;"
    "end" -> "über     雪 🎉" [style=dashed]
    "a\"]); <b>&amp;" -> "a.b" [color="#d1242f", penwidth=2]
    "a.b" -> "a\"]); <b>&amp;" [style=dashed, color="#d1242f", penwidth=2]
    "a-b" -> "a-b"
}
"##;
    assert_eq!(text, expected);
}

#[test]
fn svg_is_xml_whatever_is_written_in_it() {
    let text = svg(&hostile());
    let mut reader = quick_xml::Reader::from_str(&text);
    reader.config_mut().check_comments = true;
    let (mut depth, mut words) = (0, String::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(text) => words.push_str(&text),
            Event::GeneralRef(name) => words.push_str(resolve_predefined_entity(&name).unwrap()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    for word in [
        "a \"b\" <c>",
        "resource a\"]); <b>&amp;: #quot; 1. `x` **b** _c_ d_e $$f$$",
        "data source über     雪 🎉: ]]>--><script>\\",
        "end is linked to über",
    ] {
        assert!(words.contains(word), "{word} in {words}");
    }
}

#[test]
fn a_legend_explains_what_is_not_seen_by_itself() {
    let mut picture = hostile();
    let text = svg(&picture);
    for key in ["link: ", "data source: ", "included blueprint<", "cycle: "] {
        assert!(text.contains(&format!(">{key}")), "{key}");
    }
    picture
        .nodes
        .iter_mut()
        .for_each(|node| node.shape = Shape::Resource);
    picture
        .edges
        .iter_mut()
        .for_each(|edge| (edge.link, edge.cyclic) = (false, false));
    assert!(!svg(&picture).contains("small key"));
}

#[test]
fn many_of_a_kind_stand_in_a_frame_with_one_arrow() {
    let node = |number: usize| Node {
        shape: Shape::Resource,
        id: format!("resources.n{number}"),
        name: format!("n{number}"),
        what: "aws/sqs/queue".to_owned(),
    };
    let picture = Picture {
        title: "fan".to_owned(),
        nodes: (0..41).map(node).collect(),
        edges: (1..41).map(|number| edge(number, 0, false, false)).collect(),
    };
    let text = svg(&picture);
    assert_eq!(text.matches("class=\"head\"").count(), 1);
    assert_eq!(text.matches("class=\"box\"").count(), 41);
    assert!(
        text.contains("<title>n1 and 39 more refer to n0</title>"),
        "{text}"
    );
    assert!(text.contains(">frame: an arrow for each in it<"));
    assert!(text.contains("<desc>41 resources, 40 references</desc>"));
}

#[test]
fn elements_of_one_name_are_told_apart() {
    let text = "
version: 2023-04-20
datasources:
  core: {type: aws/vpc, filter: {field: name, operator: '=', search: x}, exports: {id: {type: string}}}
resources:
  core: {type: aws/sqs/queue, spec: {queueName: '${datasources.core.id}'}}
include:
  core: {path: core.yaml}
";
    let topology = Checker::new().read(&Source::new("a.yaml", text)).topology();
    let picture = Picture::of("a.yaml", &topology);
    assert!(
        mermaid(&picture).contains("r_core --> d_core"),
        "{}",
        mermaid(&picture)
    );
    assert!(mermaid(&picture).contains("c_core[["));
    let dot = dot(&picture);
    assert!(
        dot.contains("\"resources.core\" -> \"datasources.core\""),
        "{dot}"
    );
    assert!(dot.contains("\"children.core\" ["), "{dot}");
}
