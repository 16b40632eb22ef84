//! Writing XML answers.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// An XML document in the making. Writing into memory does not fail.
pub(super) struct Xml(Writer<Vec<u8>>);

impl Xml {
    pub(super) fn new() -> Self {
        let mut xml = Xml(Writer::new(Vec::new()));
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        xml
    }

    pub(super) fn within(&mut self, name: &str, content: impl FnOnce(&mut Self)) -> &mut Self {
        self.event(Event::Start(BytesStart::new(name)));
        content(self);
        self.event(Event::End(BytesEnd::new(name)));
        self
    }

    pub(super) fn root(&mut self, name: &str, namespace: &str, content: impl FnOnce(&mut Self)) -> &mut Self {
        self.event(Event::Start(
            BytesStart::new(name).with_attributes([("xmlns", namespace)]),
        ));
        content(self);
        self.event(Event::End(BytesEnd::new(name)));
        self
    }

    pub(super) fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.within(name, |xml| xml.event(Event::Text(BytesText::new(text))))
    }

    pub(super) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(self.0.get_mut())
    }

    fn event(&mut self, event: Event<'_>) {
        let _ = self.0.write_event(event);
    }
}
